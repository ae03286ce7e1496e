package agentcore

import (
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// command is what a prompt asks for that is no turn, or nil.
func (m *Machine) command(p Prompt) Op {
	word, args, _ := strings.Cut(strings.TrimSpace(p.Text), " ")
	name, ok := strings.CutPrefix(word, "/")
	switch can := m.agent.Capabilities; {
	case !ok:
	case can.Compact && name == "compact" && args == "":
		return Compact{}
	case slices.Contains(can.Commands, name):
		return Command{name, strings.TrimSpace(args)}
	}
	return nil
}

// outOfBand records the command and leaves what runs alone.
func (m *Machine) outOfBand(s *sending, op Op) {
	if m.sess.phase != sessionReady {
		m.reply(s.req, nil, errNoSession(m.id))
		return
	}
	m.accepted(s, "", OutOfBand)
	m.taken(s.clientID, "")
	if _, ok := op.(Compact); ok {
		m.compact(0)
		return
	}
	m.call(pendingCall{kind: callCommand, op: op})
}

func (m *Machine) commandAnswered(a Answer) {
	if a.Err != nil {
		m.record("", Item{Kind: timeline.Error, Text: a.Err.Error()})
	}
}

func (m *Machine) compact(req ReqID) {
	if m.sess.phase != sessionReady || m.sess.historyOnly {
		m.reply(req, nil, errNoSession(m.id))
		return
	}
	if m.run == nil { // the turn that it begins is awaited from now on
		m.track(&run{compact: true})
		m.setLifecycle(Running)
		m.emit()
	}
	m.call(pendingCall{kind: callCompact, req: req, op: Compact{}})
}

func (m *Machine) compactAnswered(c pendingCall, a Answer) {
	m.reply(c.req, nil, a.Err)
	if a.Err == nil {
		return
	}
	if r := m.run; r != nil && r.compact && r.phase == runStarting {
		m.run = nil
		m.setLifecycle(Idle)
		m.emit()
	}
	if c.req == 0 {
		m.record("", Item{Kind: timeline.Error, Text: a.Err.Error()})
	}
}
