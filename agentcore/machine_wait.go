package agentcore

import (
	"slices"
)

// waiter is a caller who waits for the agent to get somewhere.
type waiter struct {
	req  ReqID
	what WaitFor
	runs int // how many turns had begun when it came
	was  bool
}

// wait registers a waiter; wake looks at it at the end of the same step.
func (m *Machine) wait(req ReqID, what WaitFor) {
	w := waiter{req: req, what: what, runs: m.begun}
	if what == WaitStart && !m.agent.Replacing {
		if m.run != nil && m.run.phase == runStarted {
			m.reply(req, m.waitResult(), nil)
			return
		}
		if !m.occupied() {
			m.reply(req, nil, saying("Agent %s has no pending run", m.id))
			return
		}
	}
	m.waiters = append(m.waiters, w)
}

func (m *Machine) forget(req ReqID) {
	m.waiters = slices.DeleteFunc(m.waiters, func(w waiter) bool { return w.req == req })
}

// wake answers the waiters whose time has come.
func (m *Machine) wake() {
	if len(m.waiters) == 0 || m.ended {
		return
	}
	kept := m.waiters[:0]
	for _, w := range m.waiters {
		if !m.awoken(&w) {
			kept = append(kept, w)
		}
	}
	m.waiters = kept
}

func (m *Machine) awoken(w *waiter) bool {
	busy := m.occupied() || m.agent.Lifecycle == Initializing || m.agent.Lifecycle == Running
	w.was = w.was || busy || m.begun > w.runs
	if w.what == WaitStart {
		return m.startWaiter(w)
	}
	if m.asks.any() || !busy && (w.what == WaitEvent || w.was) {
		m.reply(w.req, m.waitResult(), nil)
		return true
	}
	return false
}

func (m *Machine) startWaiter(w *waiter) bool {
	switch {
	case m.agent.Replacing:
		return false
	case m.run != nil && m.run.phase == runStarted:
		m.reply(w.req, m.waitResult(), nil)
	case m.occupied():
		return false
	case m.agent.Lifecycle == Failed && m.agent.LastError != "":
		m.reply(w.req, nil, saying("%s", m.agent.LastError))
	case m.agent.Lifecycle == Failed:
		m.reply(w.req, nil, saying("Agent %s failed to start", m.id))
	default:
		m.reply(w.req, nil, saying("Agent %s run finished before starting", m.id))
	}
	return true
}

func (m *Machine) waitResult() WaitResult {
	r := WaitResult{Status: m.agent.Lifecycle, LastMessage: m.lastMessage()}
	if m.asks.any() {
		first := m.asks.pending[0]
		r.Permission = &first
	}
	return r
}
