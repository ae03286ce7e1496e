package agentcore

import (
	"errors"
	"slices"
)

type runPhase int

const (
	runStarting runPhase = iota
	runStarted
)

// run is a turn that the manager follows: one that it asked for (foreground),
// or one that the provider began by itself. A compaction that was asked for is
// of the second kind and counts as starting until its turn begins.
type run struct {
	foreground bool
	compact    bool
	phase      runPhase
	turn       string
	call       CallID // the StartTurn; 0 while the session is not ready
	text       *sending
	staged     []Event // that came while it was starting
	retried    bool    // in a new session
	collect    []collector
	items      []Item // for the collectors
}

// collector is a caller who waits for the end of the turn.
type collector struct {
	req    ReqID
	result SendResult
}

// doneTurns remembers the turns that have ended lately.
type doneTurns struct{ ids []string }

const doneTurnsKept = 50

func (d *doneTurns) add(turn string) {
	if turn == "" {
		return
	}
	if len(d.ids) == doneTurnsKept {
		d.ids = d.ids[1:]
	}
	d.ids = append(d.ids, turn)
}

func (d *doneTurns) has(turn string) bool {
	if turn == "" {
		return false
	}
	for _, id := range d.ids {
		if id == turn {
			return true
		}
	}
	return false
}

func (m *Machine) starting() bool { return m.run != nil && m.run.phase == runStarting }

func (m *Machine) track(r *run) { m.run = r }

// start registers a foreground run for the text. Texts that were lost before
// go first; the others follow them into the same turn.
func (m *Machine) start(s *sending) {
	m.agent.LastError = ""
	if first := m.firstLost(); first != nil && !s.resend {
		m.followLost(s)
		s = first
	}
	s.going = slices.Contains(m.queue, s)
	m.track(&run{foreground: true, text: s})
	m.issueStart(m.run)
}

func (m *Machine) firstLost() *sending {
	if len(m.queue) > 0 && m.queue[0].resend && !m.queue[0].going {
		return m.queue[0]
	}
	return nil
}

// followLost has the texts behind the first lost one steered into its turn.
func (m *Machine) followLost(s *sending) {
	behind := func(t *sending) {
		t.policy = Policy{Behavior: Steer, WaitForStart: true, OnUnavailable: FallBackHold, OnNotSteerable: FallBackHold, OnLost: t.policy.OnLost}
		m.waiting = append(m.waiting, &op{kind: opDeliver, text: t})
	}
	for _, lost := range m.queue[1:] {
		if lost.resend && !lost.going {
			lost.going = true
			behind(lost)
		}
	}
	behind(s)
}

// issueStart calls the session, or opens one first.
func (m *Machine) issueStart(r *run) {
	switch m.sess.phase {
	case sessionReady:
		r.call = m.call(pendingCall{kind: callStart, text: r.text, op: StartTurn{r.text.prompt, r.text.clientID, r.text.options}})
		m.startTimer("start", m.limits.Start)
	case sessionNone:
		m.openSession()
	}
}

func (m *Machine) startAnswered(c pendingCall, a Answer) {
	turn, _ := a.Value.(string)
	r := m.run
	if r == nil || r.call != c.id {
		m.orphan(turn)
		return
	}
	m.stopTimer("start")
	var stale *StaleSession
	switch {
	case errors.As(a.Err, &stale) && !r.retried:
		r.retried, r.call = true, 0
		m.sess.phase = sessionEnding
		m.endSession()
	case a.Err != nil:
		m.startFailed(r, a.Err)
	case turn == "":
		m.startFailed(r, saying("The session started a turn and gave no id"))
	case m.done.has(turn):
		m.startFailed(r, saying("The session started turn '%s' a second time", turn))
	default:
		m.startAcknowledged(r, turn)
	}
}

// orphan ends a turn that began after its run was given up.
func (m *Machine) orphan(turn string) {
	if turn == "" || m.done.has(turn) {
		return
	}
	m.done.add(turn)
	m.call(pendingCall{kind: callOrphan, op: InterruptTurn{turn}})
}

// startAcknowledged makes the run the open turn, in one piece: nobody sees it
// half done.
func (m *Machine) startAcknowledged(r *run, turn string) {
	m.agent.Replacing = m.replaceWaits()
	r.phase, r.turn = runStarted, turn
	m.begun++
	m.setLifecycle(Running)
	m.touch()
	m.publish(Streamed{m.id, TurnStarted{turn}})
	m.accepted(r.text, turn, Started)
	m.emit()
	staged := r.staged
	r.staged = nil
	for _, e := range staged {
		if ts, ok := e.(TurnStarted); ok && (ts.Turn == turn || ts.Turn == "") {
			continue
		}
		m.intake(e)
	}
}

func (m *Machine) startExpired() {
	switch {
	case m.sess.phase == sessionOpening || m.sess.phase == sessionReading:
		m.openFailed(saying("The session did not open within %v", m.limits.Start))
	case m.starting() && m.run.foreground:
		m.startFailed(m.run, saying("The turn did not start within %v", m.limits.Start))
	}
}

// startFailed: there is no turn. Those who wait for the start are released
// only when the run is gone, or they would take it for one to replace.
func (m *Machine) startFailed(r *run, err error) {
	m.stopTimer("start")
	if m.planted(FaultWaitersEarly) {
		m.releaseEarly()
	}
	m.agent.Replacing = m.replaceWaits()
	text := err.Error()
	if text == "" {
		text = "Failed to start turn"
	}
	m.run = nil
	m.turnFailed(TurnEnded{Status: TurnFailed, Error: text})
	r.text.going = false
	m.fail(r.text, err)
	m.unstage(r)
}

// replaceWaits says whether a text is about to take the place of what runs.
func (m *Machine) replaceWaits() bool {
	return slices.ContainsFunc(m.lane, func(o *op) bool { return o.replace && o.text != nil })
}

// unstage lets through what came during a start that came to nothing, except
// what belongs to the turn that was not to be.
func (m *Machine) unstage(r *run) {
	for _, e := range r.staged {
		switch e := e.(type) {
		case TurnStarted, TurnEnded, ItemUpdated, Taken:
			if ended, ok := e.(TurnEnded); ok && m.done.has(ended.Turn) {
				m.intake(ended)
			}
		default:
			m.intake(e)
		}
	}
}

// unstart gives up a run that has no turn yet.
func (m *Machine) unstart(r *run) {
	m.stopTimer("start")
	m.run = nil
	m.agent.Replacing = m.replaceWaits()
	if r.foreground {
		r.text.going = false
		m.fail(r.text, saying("Agent %s run was canceled before its turn started", m.id))
	}
	m.unstage(r)
	m.setLifecycle(Idle)
	m.emit()
}

// turnStarted: the provider began a turn by itself; ours are known from their
// acknowledgement.
func (m *Machine) turnStarted(e TurnStarted) {
	if m.done.has(e.Turn) {
		return
	}
	if m.run != nil && m.run.phase == runStarted {
		return
	}
	if m.run == nil {
		m.track(&run{})
	}
	m.flush()
	m.run.phase, m.run.turn = runStarted, e.Turn
	m.begun++
	m.setLifecycle(Running)
	m.emit()
	m.publish(Streamed{m.id, e})
}
