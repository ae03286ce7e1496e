package agentcore

import (
	"errors"
	"slices"
)

type opKind int

const (
	opDeliver opKind = iota
	opInterrupt
	opReload
)

type opPhase int

const (
	opNew          opPhase = iota
	opInterrupting         // InterruptTurn was called
	opSettling             // it was acknowledged, the turn has not ended
	opRescuing             // it failed; the turn may still end
	opSteering             // SteerTurn was called
	opRecycling            // a reload closes the session
)

// op is something that must have the agent's turns for itself: the delivery of
// a text, an interrupt, a reload. One at a time is under way, the head of the
// lane; the others follow in the order in which they came.
type op struct {
	kind    opKind
	phase   opPhase
	text    *sending // of a delivery; nil when it was superseded
	replace bool     // the delivery replaces what runs
	refused bool     // it does so because a steer was refused
	reqs    []ReqID  // of interrupts and reloads
	target  *run     // that it steers or interrupts
	call    CallID

	rehydrate bool
	fresh     string
}

func (o *op) canceling() bool {
	return o.phase == opInterrupting || o.phase == opSettling || o.phase == opRescuing
}

func (m *Machine) head() *op {
	if len(m.lane) == 0 {
		return nil
	}
	return m.lane[0]
}

func (m *Machine) pop() { m.lane = m.lane[1:] }

// advance lets everything go on that can.
func (m *Machine) advance() {
	for !m.ended && m.closing == nil && m.progress() {
	}
}

// progress takes one step and says whether there was one.
func (m *Machine) progress() bool {
	if len(m.waiting) > 0 && !m.starting() {
		m.release()
		return true
	}
	if o := m.head(); o != nil {
		return m.progressOp(o)
	}
	if len(m.queue) > 0 && m.run == nil && m.canStart() {
		m.start(m.queue[0])
		return true
	}
	return false
}

// canStart says whether a queued prompt may go out.
func (m *Machine) canStart() bool {
	ready := m.sess.phase == sessionReady || m.sess.phase == sessionNone
	return m.registered && ready && !m.sess.historyOnly && !m.barrier
}

// release puts the texts that waited for a start before all that came later.
func (m *Machine) release() {
	at := 0
	if o := m.head(); o != nil && o.phase != opNew {
		at = 1
	}
	m.lane = slices.Concat(m.lane[:at], m.waiting, m.lane[at:])
	m.waiting = m.waiting[:0]
}

// releaseEarly is FaultWaitersEarly: the waiters still see the starting run.
func (m *Machine) releaseEarly() {
	for _, o := range m.waiting {
		o.text.policy.WaitForStart = false
	}
	if len(m.waiting) > 0 {
		m.release()
		m.progressOp(m.head())
		m.progressOp(m.head())
	}
}

func (m *Machine) progressOp(o *op) bool {
	switch o.phase {
	case opNew:
		return m.beginOp(o)
	case opSettling, opRescuing:
		if m.run != o.target {
			m.stopTimer("settle")
			m.stopTimer("rescue")
			m.canceled(o)
			return true
		}
	}
	return false
}

func (m *Machine) beginOp(o *op) bool {
	switch {
	case m.run == nil:
		m.beginFree(o)
	case o.kind == opDeliver && o.text == nil:
		m.pop()
	case o.kind == opDeliver && !o.replace:
		m.beginSteer(o)
	default:
		m.cancel(o)
	}
	return true
}

// beginFree does what the operation is for when nothing runs.
func (m *Machine) beginFree(o *op) {
	switch o.kind {
	case opReload:
		m.reloadFree(o)
		return
	case opInterrupt:
		for _, req := range o.reqs {
			m.reply(req, InterruptResult{"not_running"}, nil)
		}
	case opDeliver:
		if o.text != nil {
			m.pop()
			m.start(o.text)
			return
		}
	}
	m.pop()
}

func (m *Machine) reloadFree(o *op) {
	switch m.sess.phase {
	case sessionNone:
		o.phase = opRecycling
		m.sessionEnded()
	case sessionReady:
		m.reloadNow(o)
	default: // it is opening: that is a new session as well
		m.pop()
		m.sess.waiters = append(m.sess.waiters, o.reqs...)
	}
}

// interrupt asks for the end of what runs. Those that overlap are one.
func (m *Machine) interrupt(req ReqID) {
	if m.run == nil && len(m.lane) == 0 {
		m.reply(req, InterruptResult{"not_running"}, nil)
		return
	}
	for _, o := range m.lane {
		if o.kind == opInterrupt && o == m.lane[len(m.lane)-1] {
			o.reqs = append(o.reqs, req)
			return
		}
	}
	m.lane = append(m.lane, &op{kind: opInterrupt, reqs: []ReqID{req}})
}

// cancel interrupts the run. Not before the session has answered may another
// turn start: the interrupt could hit that one.
func (m *Machine) cancel(o *op) {
	r := m.run
	o.target = r
	if r.foreground && r.phase == runStarting && r.call == 0 {
		m.unstart(r)
		m.canceled(o)
		return
	}
	o.phase = opInterrupting
	o.call = m.call(pendingCall{kind: callInterrupt, op: InterruptTurn{r.turn}})
	m.startTimer("interrupt", m.limits.Interrupt)
}

func (m *Machine) interruptAnswered(c pendingCall, a Answer) {
	o := m.head()
	if o == nil || o.call != c.id || o.phase != opInterrupting {
		return // its guard ran out
	}
	m.stopTimer("interrupt")
	if a.Err != nil {
		m.notAcknowledged(o, false)
		return
	}
	o.phase = opSettling
	if m.run == o.target {
		m.startTimer("settle", m.limits.Settle)
	}
}

// notAcknowledged: the interrupt failed or hangs. If the turn does not end by
// itself, the operation is refused and nothing has changed.
func (m *Machine) notAcknowledged(o *op, last bool) {
	switch {
	case m.run != o.target:
		m.canceled(o)
	case last || m.limits.Rescue <= 0:
		m.refuseOp(o)
	default:
		o.phase = opRescuing
		m.startTimer("rescue", m.limits.Rescue)
	}
}

func (m *Machine) refuseOp(o *op) {
	m.pop()
	m.agent.Replacing = m.replaceWaits()
	action := map[opKind]string{opDeliver: "replace", opInterrupt: "interrupt", opReload: "reload"}[o.kind]
	m.failOp(o, &RefusedError{action, m.id})
}

// settleExpired: the interrupt was acknowledged and the turn does not end.
func (m *Machine) settleExpired(o *op) {
	if r := m.run; r == o.target {
		if r.phase == runStarting {
			m.unstart(r)
		} else {
			m.turnEnded(TurnEnded{Turn: r.turn, Status: TurnInterrupted, Error: "interrupted", presumed: true})
		}
	}
}

// canceled: nothing of the target runs any more.
func (m *Machine) canceled(o *op) {
	if m.asks.any() && m.run == nil {
		m.denyAll("Interrupted")
		m.emit()
	}
	switch {
	case o.kind == opInterrupt:
		m.pop()
		for _, req := range o.reqs {
			m.reply(req, InterruptResult{"settled"}, nil)
		}
	case o.text != nil && m.run != nil && o.refused && !m.planted(FaultInterruptNewer):
		m.changedTurn(o)
	default:
		o.phase = opNew
	}
}

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
