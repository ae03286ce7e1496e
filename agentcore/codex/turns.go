package codex

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// turns is what the machine knows of the turns of its thread.
type turns struct {
	starting *starting        // our turn/start that has no answer yet
	open     map[string]*turn // by codex's id, until turn/completed
	order    []string         // ids of open, oldest first
	manual   int              // compactions that we asked for and that have no turn yet
	texts    []*accepted
	// ended are the last turns that are over: an answer that the wire held
	// back must not bring one to life again.
	ended []string
}

// starting is a turn/start that is on its way, or about to be.
type starting struct {
	call agentcore.CallID
	text *accepted // nil: it has not reached codex yet
	plan bool      // in plan mode
	then []func()  // what waits for the answer
}

// turn is one turn that codex has named and not ended.
type turn struct {
	id        string
	announced bool // turn/started was read
	manual    bool // a compaction that we asked for
	left      bool // interrupted for sure: its end may come, a new turn may start
	waiting   []waiter
	timer     int // bounds the wait for its announcement, while somebody waits
	usage     *agentcore.Usage
	planned   bool               // it was started in plan mode
	plan      string             // what it came up with
	interrupt []agentcore.CallID // callers of the turn/interrupt under way
}

// waiter waits until a turn is announced (ok) or never will be.
type waiter func(ok bool)

// accepted is a text that codex took, or is asked to take.
type accepted struct {
	clientID, text, turn string
	pending              bool // a steer that is not answered yet, or was not answered clearly
	taken                bool // it is in the history
}

func (t *turns) get(id string) *turn { return t.open[id] }

// current is the newest turn that is not certain to be over.
func (t *turns) current() *turn {
	for i := len(t.order) - 1; i >= 0; i-- {
		if tr := t.open[t.order[i]]; !tr.left {
			return tr
		}
	}
	return nil
}

// named is the turn with this id, new if need be.
func (t *turns) named(id string) *turn {
	if tr := t.open[id]; tr != nil {
		return tr
	}
	if t.open == nil {
		t.open = map[string]*turn{}
	}
	tr := &turn{id: id}
	t.open[id] = tr
	t.order = append(t.order, id)
	return tr
}

func (t *turns) remove(id string) {
	delete(t.open, id)
	t.order = slices.DeleteFunc(t.order, func(o string) bool { return o == id })
	const remembered = 50
	t.ended = append(t.ended, id)
	if len(t.ended) > remembered {
		t.ended = t.ended[1:]
	}
}

func (t *turns) over(id string) bool { return slices.Contains(t.ended, id) }

var errActive = errors.New("a foreground turn is already active")

func (m *machine) startTurn(id agentcore.CallID, op agentcore.StartTurn) {
	switch cur := m.turns.current(); {
	case m.req.HistoryOnly:
		m.answer(id, nil, errHistoryOnly)
		return
	case m.turns.starting != nil, cur != nil && !cur.manual:
		m.answer(id, nil, errActive)
		return
	}
	m.dismissPlans()
	s := &starting{call: id}
	m.turns.starting = s
	m.prepare(op.Prompt, func(err error) { m.prepared(s, op, err) })
}

// prepared sends the start, if it is still wanted.
func (m *machine) prepared(s *starting, op agentcore.StartTurn, err error) {
	if m.turns.starting != s {
		return
	}
	if cur := m.turns.current(); err == nil && cur != nil && !cur.manual {
		err = errActive // codex has begun one of its own meanwhile
	}
	if err != nil {
		m.notStarted(s, err)
		return
	}
	params := m.turnParams()
	prompt := m.withSkill(op.Prompt)
	if op.Options.OutputSchema != nil {
		params["outputSchema"] = strictSchema(op.Options.OutputSchema)
	}
	s.text, s.plan = m.accept(op.ClientID, prompt, params), m.settings.plan
	m.requestWithin(m.limits.Start, TimerStart, "turn/start", params, func(r reply) { m.turnStartAnswered(s, r) })
}

func (m *machine) notStarted(s *starting, err error) {
	m.turns.starting = nil
	m.answer(s.call, nil, err)
	s.runThen()
}

// accept puts a prompt into a call, and remembers its text as one that codex is
// asked to take.
func (m *machine) accept(clientID string, p agentcore.Prompt, params map[string]any) *accepted {
	params["input"] = inputOf(p)
	if m.quirks.EchoesClientID && clientID != "" {
		params["clientUserMessageId"] = clientID
	}
	a := &accepted{clientID: clientID, text: textOf(p)}
	m.turns.texts = append(m.turns.texts, a)
	return a
}

func (m *machine) forget(a *accepted) {
	m.turns.texts = slices.DeleteFunc(m.turns.texts, func(t *accepted) bool { return t == a })
}

func (m *machine) turnStartAnswered(s *starting, r reply) {
	m.turns.starting = nil
	defer s.runThen()
	var res struct{ Turn struct{ ID string } }
	if r.err == nil {
		if err := json.Unmarshal(r.result, &res); err != nil || res.Turn.ID == "" {
			r.err = fmt.Errorf("turn/start: the answer names no turn: %.200s", r.result)
		}
	}
	if r.err != nil {
		m.forget(s.text)
		m.answer(s.call, nil, staleOr(r.err))
		return
	}
	m.answer(s.call, res.Turn.ID, nil)
	if m.turns.over(res.Turn.ID) {
		m.forget(s.text)
		return
	}
	s.text.turn = res.Turn.ID
	t := m.turns.named(res.Turn.ID)
	t.planned = s.plan
}

func (s *starting) runThen() {
	for _, f := range s.then {
		f()
	}
}

// staleOr tells the error of a thread that codex no longer has from others.
func staleOr(err error) error {
	var e *jsonrpc.Error
	if errors.As(err, &e) && strings.Contains(e.Message, "thread not found") {
		return &agentcore.StaleSession{Message: e.Message}
	}
	return err
}

// whenAnnounced calls f once codex has announced the turn: until then it
// refuses to steer and to interrupt it. No wait is longer than the limit of a
// start.
func (m *machine) whenAnnounced(t *turn, f waiter) {
	if t.announced {
		f(true)
		return
	}
	if len(t.waiting) == 0 {
		t.timer = m.after(TimerStart, m.limits.Start, func() { t.settleWaiters(false) })
	}
	t.waiting = append(t.waiting, f)
}

func (t *turn) settleWaiters(ok bool) {
	waiting := t.waiting
	t.waiting = nil
	for _, f := range waiting {
		f(ok)
	}
}

func (m *machine) turnStarted(id string) {
	if m.turns.over(id) {
		return
	}
	t := m.turns.named(id)
	if t.announced {
		return
	}
	t.announced = true
	m.disarm(t.timer)
	if s := m.turns.starting; s != nil && s.text != nil && s.text.turn == "" {
		s.text.turn = id // its answer is late; there is no other turn it could be
		t.planned = s.plan
	} else if m.turns.manual > 0 && !m.ours(id) {
		m.turns.manual--
		t.manual = true
	}
	m.emit(agentcore.TurnStarted{Turn: id})
	t.settleWaiters(true)
}

// ours: the turn was answered to one of our turn/starts.
func (m *machine) ours(id string) bool {
	for _, a := range m.turns.texts {
		if a.turn == id {
			return true
		}
	}
	return false
}

// turnEnded tells the end of a turn, and which of its texts codex dropped.
func (m *machine) turnEnded(id string, e agentcore.TurnEnded) {
	if m.turns.over(id) {
		return
	}
	t := m.turns.named(id) // an end without a beginning is told all the same
	m.disarm(t.timer)
	m.turns.remove(id)
	m.items.endTurn(id)
	e.Turn, e.Usage = id, t.usage
	e.Dropped = m.dropped(id)
	m.emit(e)
	t.settleWaiters(false)
	for _, call := range t.interrupt {
		m.answer(call, nil, nil)
	}
	t.interrupt = nil
}

func (m *machine) dropped(turn string) []string {
	var ids []string
	keep := m.turns.texts[:0:0]
	for _, a := range m.turns.texts {
		switch {
		case a.turn != turn || a.pending:
			keep = append(keep, a)
		case !a.taken:
			ids = append(ids, a.clientID)
		}
	}
	m.turns.texts = keep
	return ids
}

// loseTurns fails what was open when the process ended.
func (m *machine) loseTurns(text, stderr string) {
	for _, id := range append([]string(nil), m.turns.order...) {
		end := agentcore.TurnEnded{Status: agentcore.TurnFailed, Error: text, Code: "exited", Detail: stderr}
		if m.killed && m.turns.get(id).interrupt != nil {
			end = agentcore.TurnEnded{Status: agentcore.TurnInterrupted, Detail: text}
		}
		m.turnEnded(id, end)
	}
	m.turns = turns{}
}
