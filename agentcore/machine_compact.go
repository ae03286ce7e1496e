package agentcore

import (
	"strings"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

func (m *Machine) isCompactCommand(p Prompt) bool {
	return m.agent.Capabilities.Compact && strings.TrimSpace(p.Text) == "/compact"
}

// outOfBand records the command and leaves what runs alone.
func (m *Machine) outOfBand(s *sending) {
	m.accepted(s, "", OutOfBand)
	m.taken(s.clientID, "")
	m.compact(0)
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
