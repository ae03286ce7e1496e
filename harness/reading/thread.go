package reading

import (
	"slices"
	"strings"
)

// ToolServer is the name by which codex knows the manager's tools.
const ToolServer = "agents"

// Thread is one conversation of codex.
type Thread struct {
	ID    string
	Child bool // codex made it: no call of ours names it first

	announced   bool
	tools       bool // the manager's have started
	realtime    bool // a realtime session is open
	goal        bool // codex begins turns of its own: it has a goal
	busy        *Turn
	compactions int // answered thread/compact/start whose turn has not begun
	unclaimed   int // turns that began while such a call was in flight
}

// A realtime session begins and ends after the call for it was answered.
const (
	realtimeStart = "the start of the realtime session"
	realtimeEnd   = "the end of the realtime session"
)

// Turn is one turn of codex.
type Turn struct {
	ID       string
	Thread   string
	Number   int      // among its thread's, by the order of our calls; from 1
	Accepted []string // texts that codex has taken for it
	Placed   []string // texts that stand in its history
	Status   string   // "" while it runs
	Error    string

	started bool
	open    map[string]item // begun and not completed
	begun   map[string]bool // ids of all items that began
	compact int             // open contextCompaction items
}

func (t *Turn) accept(text string) {
	if text != "" {
		t.Accepted = append(t.Accepted, text)
	}
}

func (a *Agent) thread(id string) *Thread {
	for _, th := range a.Threads {
		if th.ID == id {
			return th
		}
	}
	th := &Thread{ID: id}
	a.Threads = append(a.Threads, th)
	return th
}

func (a *Agent) turn(thread, id string) *Turn {
	t := a.turns[id]
	if t == nil {
		t = &Turn{ID: id, Thread: thread, open: map[string]item{}, begun: map[string]bool{}}
		a.turns[id] = t
	}
	return t
}

// Turn returns the turn with codex's id, or nil.
func (a *Agent) Turn(id string) *Turn { return a.turns[id] }

// RunningTurn returns codex's id of the turn that runs on a thread, "" for none.
func (a *Agent) RunningTurn(thread string) string {
	if t := a.thread(thread).busy; t != nil {
		return t.ID
	}
	return ""
}

// ThreadNumber returns the thread's place among the agent's, from 1; 0 when it
// is not known.
func (a *Agent) ThreadNumber(id string) int {
	return 1 + slices.IndexFunc(a.Threads, func(th *Thread) bool { return th.ID == id })
}

func (a *Agent) number(t *Turn) {
	a.numbers[t.Thread]++
	t.Number = a.numbers[t.Thread]
}

func (a *Agent) notified(method string, p params) {
	switch method {
	case "thread/started":
		a.thread(p.Thread.ID).announced = true
		a.owed.settle("thread/started", p.Thread.ID)
	case "turn/started":
		a.turnStarted(p)
	case "turn/completed":
		a.turnCompleted(p)
	case "item/started":
		a.itemStarted(a.turn(p.ThreadID, p.TurnID), p.Item)
	case "item/completed":
		a.itemCompleted(a.turn(p.ThreadID, p.TurnID), p.Item)
	case "mcpServer/startupStatus/updated":
		if p.Name == ToolServer && string(p.Status) != `"starting"` {
			a.thread(p.ThreadID).tools = true
			a.owed.settle("the start of the manager's tools", p.ThreadID)
		}
	case "thread/realtime/started":
		a.thread(p.ThreadID).realtime = true
		a.owed.settle(realtimeStart, p.ThreadID)
	case "thread/realtime/error": // of a start that fails; no end is told then
		a.owed.settle(realtimeStart, p.ThreadID)
	case "thread/realtime/closed":
		a.thread(p.ThreadID).realtime = false
		a.owed.settle(realtimeEnd, p.ThreadID)
	case "thread/goal/updated":
		a.thread(p.ThreadID).goal = p.Goal.active()
	case "thread/goal/cleared":
		a.thread(p.ThreadID).goal = false
	case "serverRequest/resolved":
		delete(a.asks, string(p.RequestID))
	default:
		if strings.HasSuffix(strings.ToLower(method), "delta") {
			a.owed.settle("a delta", p.ItemID)
		}
	}
}

func (a *Agent) turnStarted(p params) {
	t := a.turn(p.ThreadID, p.Turn.ID)
	t.started = true
	a.owed.settle("turn/started", t.ID)
	th := a.thread(p.ThreadID)
	if t.Status == "" {
		th.busy = t
	}
	if t.Number == 0 {
		a.claim(th, t)
	}
}

// claim numbers a turn that no answer has named: of turn/start whose answer is
// still to come it waits, all others begin by a manual compaction or by codex.
func (a *Agent) claim(th *Thread, t *Turn) {
	if a.inFlight("turn/start", th.ID) {
		return
	}
	a.number(t)
	switch {
	case th.compactions > 0:
		th.compactions--
		a.owed.settle("the turn of a manual compaction", th.ID)
	case a.inFlight("thread/compact/start", th.ID):
		th.unclaimed++
	}
}

func (a *Agent) inFlight(method, thread string) bool {
	for _, c := range a.calls {
		if c.method == method && c.params.ThreadID == thread {
			return true
		}
	}
	return false
}

func (a *Agent) turnCompleted(p params) {
	t := a.turn(p.ThreadID, p.Turn.ID)
	t.Status = p.Turn.Status
	a.dropDebts(t.ID)
	if p.Turn.Error != nil {
		t.Error = p.Turn.Error.Message
	}
	if t.Status == "interrupted" {
		clear(t.open) // a completed turn's background commands run on
	}
	t.compact = 0
	th := a.thread(p.ThreadID)
	if th.busy == t {
		th.busy = nil
	}
	if t.Status == "interrupted" {
		th.goal = false // measured: it stays active, and codex waits for the user
	}
	a.owed.settle("the end of the interrupted turn", t.ID)
	a.owed.settle("turn/started", t.ID)
}

func (a *Agent) itemStarted(t *Turn, it item) {
	t.begun[it.ID] = true
	t.open[it.ID] = it
	if it.Type == "contextCompaction" {
		t.compact++
	}
	a.owed.settle("item/started", it.ID)
}

func (a *Agent) itemCompleted(t *Turn, it item) {
	t.begun[it.ID] = true
	delete(t.open, it.ID)
	switch it.Type {
	case "contextCompaction":
		t.compact = max(0, t.compact-1)
	case "userMessage":
		t.Placed = append(t.Placed, text(it.Content))
	}
	a.owed.settle("item/started", it.ID)
	a.owed.forgive("a delta", it.ID)
}
