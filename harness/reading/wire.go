package reading

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/harness/eventlog"
)

// message is a line of the wire, either way.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params params          `json:"params"`
	Result result          `json:"result"`
	Error  json.RawMessage `json:"error"`
}

type params struct {
	ThreadID  string          `json:"threadId"`
	TurnID    string          `json:"turnId"`
	ItemID    string          `json:"itemId"`
	RequestID json.RawMessage `json:"requestId"`
	Name      string          `json:"name"`
	Status    json.RawMessage `json:"status"`
	Input     []content       `json:"input"`
	Thread    struct {
		ID string `json:"id"`
	} `json:"thread"`
	Turn struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	} `json:"turn"`
	Item item `json:"item"`
	Goal goal `json:"goal"`
}

type result struct {
	UserAgent string `json:"userAgent"`
	TurnID    string `json:"turnId"`
	Turn      struct {
		ID string `json:"id"`
	} `json:"turn"`
	Thread struct {
		ID string `json:"id"`
	} `json:"thread"`
	Goal goal `json:"goal"`
}

type goal struct {
	Status string `json:"status"`
}

func (g goal) active() bool { return g.Status == "active" }

type item struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Status    string          `json:"status"`
	Command   string          `json:"command"`
	Arguments json.RawMessage `json:"arguments"` // of an MCP server's tool
	Content   []content       `json:"content"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// call is one of our calls that codex has not answered.
type call struct {
	method string
	params params
}

// ask is a request of codex that is not resolved.
type ask struct {
	method   string
	turn     string
	item     string
	answered bool
}

func text(parts []content) string {
	var all []string
	for _, c := range parts {
		if c.Type == "text" {
			all = append(all, c.Text)
		}
	}
	return strings.Join(all, "\n")
}

// spoiltMark is what codex writes to stderr (with RUST_LOG=warn) when a task
// has not ended 100 ms after an interrupt and was dropped with its pending prompt.
const spoiltMark = "didn't complete gracefully after 100ms"

func (r *Run) applyWire(a *Agent, b eventlog.Body) {
	switch b := b.(type) {
	case eventlog.Started:
		a.Alive, a.Exit = true, nil
	case eventlog.Stderr:
		a.Stderr += b.Text
		r.Spoilt = r.Spoilt || a.Traits.Graceful && strings.Contains(a.Stderr, spoiltMark)
	case eventlog.Exited:
		a.exited(b)
	case eventlog.ToCodex:
		m := parse(b.Line)
		if !r.Closing && m.Method != "" && len(m.ID) > 0 {
			a.Asked[m.Method]++
		}
		a.toCodex(m)
	case eventlog.FromCodex:
		a.fromCodex(parse(b.Line))
	case eventlog.WireActed:
		r.gate(b.Gate, b.Action)
	}
}

// parse reads a line as far as it is of the known shape; a member of another
// type than expected is left out rather than refused.
func parse(line []byte) message {
	var m message
	_ = json.Unmarshal(line, &m)
	return m
}

func (a *Agent) exited(b eventlog.Exited) {
	a.Alive, a.Exit = false, &b
	a.calls, a.asks, a.owed = map[string]*call{}, map[string]*ask{}, debts{}
	for _, th := range a.Threads {
		th.busy, th.tools, th.realtime, th.goal = nil, false, false, false
	}
}

func (a *Agent) toCodex(m message) {
	switch {
	case m.Method == "" && len(m.ID) > 0:
		a.answered(string(m.ID))
	case len(m.ID) > 0:
		a.calls[string(m.ID)] = &call{method: m.Method, params: m.Params}
	}
}

func (a *Agent) answered(id string) {
	if q := a.asks[id]; q != nil {
		q.answered = true
	}
}

func (a *Agent) fromCodex(m message) {
	switch {
	case m.Method == "":
		a.answer(m)
	case len(m.ID) > 0:
		a.owed.forgive("item/started", m.Params.ItemID) // old versions ask before they show
		a.asks[string(m.ID)] = &ask{method: m.Method, turn: m.Params.TurnID, item: m.Params.ItemID}
	default:
		a.notified(m.Method, m.Params)
	}
}

// answer books what an answered call owes.
func (a *Agent) answer(m message) {
	c := a.calls[string(m.ID)]
	delete(a.calls, string(m.ID))
	if c == nil || len(m.Error) > 0 && string(m.Error) != "null" {
		return
	}
	switch c.method {
	case "initialize":
		a.version = version(m.Result.UserAgent)
	case "thread/start", "thread/fork":
		a.threadAnswered(m.Result.Thread.ID, true)
	case "thread/resume":
		a.threadAnswered(m.Result.Thread.ID, false) // measured: no thread/started follows
	case "turn/start":
		a.turnAccepted(c.params.ThreadID, m.Result.Turn.ID, text(c.params.Input))
	case "turn/steer":
		a.turn(c.params.ThreadID, m.Result.TurnID).accept(text(c.params.Input))
	case "turn/interrupt":
		if t := a.turns[c.params.TurnID]; t != nil && t.Status == "" {
			a.owed.add("the end of the interrupted turn", t.ID)
		}
	case "thread/compact/start":
		a.compactAccepted(c.params.ThreadID)
	case "thread/goal/set", "thread/goal/clear":
		a.thread(c.params.ThreadID).goal = m.Result.Goal.active()
	case "thread/realtime/start":
		if !a.thread(c.params.ThreadID).realtime {
			a.owed.add(realtimeStart, c.params.ThreadID)
		}
	case "thread/realtime/stop":
		if a.thread(c.params.ThreadID).realtime {
			a.owed.add(realtimeEnd, c.params.ThreadID)
		}
	}
}

// version reads "name/0.171.0 (…)".
func version(userAgent string) string {
	_, rest, _ := strings.Cut(userAgent, "/")
	v, _, _ := strings.Cut(rest, " ")
	return v
}

func (a *Agent) threadAnswered(id string, announced bool) {
	th := a.thread(id)
	if announced && !th.announced {
		a.owed.add("thread/started", id)
	}
	if a.Traits.Tools && !th.tools { // a resumed thread has them before it is answered
		a.owed.add("the start of the manager's tools", id)
	}
	if a.Traits.Prewarms && !slices.ContainsFunc(a.Requests, func(q *Request) bool { return q.Thread == id && q.prewarms() && (!q.Open() || q.Gate != "") }) {
		a.owed.add(prewarm, id)
	}
}

func (a *Agent) turnAccepted(thread, id, text string) {
	t := a.turn(thread, id)
	t.accept(text)
	if t.Number == 0 {
		a.number(t)
	}
	if !t.started {
		a.owed.add("turn/started", id)
	}
	if t.Status == "" {
		a.thread(thread).busy = t
	}
}

// compactAccepted: the answer comes before the turn exists, and does not name it.
func (a *Agent) compactAccepted(thread string) {
	th := a.thread(thread)
	if th.unclaimed > 0 {
		th.unclaimed--
		return
	}
	th.compactions++
	a.owed.add("the turn of a manual compaction", thread)
}
