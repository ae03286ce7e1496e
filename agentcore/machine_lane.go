package agentcore

import (
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
