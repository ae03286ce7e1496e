package agentcore

import (
	"errors"
)

// sessionExited: the session is gone, and with it every answer.
func (m *Machine) sessionExited(e Exited) {
	text := "The session ended"
	if e.Err != nil {
		text = e.Err.Error()
	}
	err := errors.New(text)
	was := m.sess.phase
	m.sess.phase = sessionNone
	m.sess.number++
	if m.barrier {
		m.dropBarrier()
	}
	if m.ended {
		return
	}
	if was == sessionOpening {
		m.openFailed(err)
		return
	}
	m.failTurn(text, e.Stderr)
	m.cancelBackground()
	m.failCalls(err)
	m.asks.replace(nil)
	if m.ended {
		return
	}
	m.publish(Streamed{m.id, e})
	switch {
	case m.closing != nil:
		m.finishClose()
	case was == sessionEnding:
		m.sessionEnded()
	case was == sessionReading:
		m.agentReady()
		if m.starting() && m.run.foreground {
			m.startFailed(m.run, err)
		}
	}
}

// failTurn ends the open turn because its session is gone.
func (m *Machine) failTurn(text, stderr string) {
	if m.run == nil || m.run.phase == runStarting && m.run.foreground {
		return
	}
	if m.closing != nil || m.sess.phase == sessionEnding {
		return
	}
	dropped := m.untaken(m.run.turn)
	m.turnEnded(TurnEnded{Turn: m.run.turn, Status: TurnFailed, Error: text, Detail: stderr, Dropped: dropped})
}

// failCalls answers every open call with an error, in order.
func (m *Machine) failCalls(err error) {
	for len(m.calls) > 0 {
		m.answered(Answer{Call: m.calls[0].id, Err: err})
	}
}
