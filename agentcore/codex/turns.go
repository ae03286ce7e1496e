package codex

import (
	"slices"

	"github.com/heldstream/heldstream/agentcore"
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
