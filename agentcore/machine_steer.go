package agentcore

import (
	"errors"
)

// changedTurn: the turn that refused the text is gone and another, which
// nobody wanted to interrupt, runs.
func (m *Machine) changedTurn(o *op) {
	m.pop()
	m.agent.Replacing = m.replaceWaits()
	m.fail(o.text, saying("Active turn changed before steering could be delivered"))
}

// beginSteer adds the text to the run.
func (m *Machine) beginSteer(o *op) {
	r := m.run
	o.target = r
	switch {
	case r.phase == runStarting && o.text.policy.WaitForStart:
		m.pop()
		m.waiting = append(m.waiting, o)
	case r.phase == runStarting:
		m.fallBack(o, &Unavailable{Reason: "no_turn", Message: "The turn has not started"})
	case !m.agent.Capabilities.Steer || r.turn == "":
		m.fallBack(o, &Unavailable{Reason: "unsupported", Message: "The session cannot steer this turn"})
	default:
		m.flush()
		m.barrier = true
		o.phase = opSteering
		s := o.text
		o.call = m.call(pendingCall{kind: callSteer, text: s, op: SteerTurn{r.turn, s.prompt, s.clientID, s.clear}})
		m.startTimer("steer", m.limits.Steer)
	}
}

// steerAnswered: what was said before the call stands before the text, what
// came since stands behind it.
func (m *Machine) steerAnswered(c pendingCall, a Answer) {
	o := m.head()
	if o == nil || o.call != c.id || o.phase != opSteering {
		m.steeredLate(c, a)
		return
	}
	m.stopTimer("steer")
	var refusal *Unavailable
	switch {
	case a.Err == nil:
		m.pop()
		if m.planted(FaultSteerRowLate) {
			m.dropBarrier()
		}
		m.accepted(o.text, o.target.turn, Steered)
		m.emit()
		m.dropBarrier()
	case errors.As(a.Err, &refusal):
		o.phase = opNew
		m.dropBarrier()
		m.fallBack(o, refusal)
	default:
		m.pop()
		m.dropBarrier()
		m.fail(o.text, &Error{errors.Join(ErrAmbiguous, a.Err), a.Err.Error()})
	}
}

// steeredLate: its sender was told that nobody knows. Now it is known.
func (m *Machine) steeredLate(c pendingCall, a Answer) {
	s := c.text
	if _, known := m.known[s.clientID]; known || a.Err != nil || s.going {
		return
	}
	s.replied, s.collect = true, false
	m.accepted(s, c.op.(SteerTurn).Turn, Steered)
}

func (m *Machine) steerExpired() {
	o := m.head()
	if o == nil || o.phase != opSteering {
		return
	}
	m.pop()
	m.dropBarrier()
	m.fail(o.text, &Error{ErrAmbiguous, "The session did not answer the steer within " + m.limits.Steer.String() + ": it may have taken the text"})
}

// dropBarrier lets through what came while a steer was admitted.
func (m *Machine) dropBarrier() {
	held := m.held
	m.barrier, m.held = false, nil
	for _, e := range held {
		m.intake(e)
	}
}

// fallBack: the steer was definitely refused.
func (m *Machine) fallBack(o *op, u *Unavailable) {
	changed := m.run != o.target && !m.planted(FaultInterruptNewer)
	how := o.text.policy.fallback(u)
	switch {
	case m.run == nil: // beginOp starts it
	case how == FallBackError:
		m.pop()
		m.fail(o.text, u)
	case how == FallBackHold:
		m.pop()
		m.hold(o.text)
	case changed:
		m.changedTurn(o)
	default:
		o.replace, o.refused = true, true
		m.announceReplace()
	}
}
