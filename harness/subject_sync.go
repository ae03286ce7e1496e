package harness

import (
	"slices"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/harness/codexshim"
)

// A manager of somebody else's counts as at work from whatever it is told or
// does until a sync that it has answered, after which its codexes' inputs were
// read out, without anything new in between.

// moved says that the manager was told something, or did something.
func (m *foreign) moved() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.movedLocked()
}

func (m *foreign) movedLocked() {
	m.dirty = true
	if m.busy || m.gone {
		return
	}
	m.busy = true
	m.env.worked(+1)
	m.syncLocked()
}

// syncLocked begins a round.
func (m *foreign) syncLocked() {
	m.dirty, m.flushing = false, false
	read := []map[string]any{} // a list in any case
	for _, c := range m.codexes {
		read = append(read, map[string]any{"agent": c.agent.name, "pid": c.pid, "lines": c.lines, "exited": c.gone})
	}
	m.callLocked("", "sync", map[string]any{"codex": read}, func(x managerAnswer) {
		if x.Error != "" {
			m.fault("it refuses `sync`: "+x.Error, "without it nobody can tell when the manager has nothing left to do")
			return
		}
		m.flush()
	})
}

// flush has the shims pass on what the manager has written before its answer.
func (m *foreign) flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flushing = true
	for _, c := range m.codexes {
		if !c.gone {
			m.waits[c] = true
			m.shims.served.Go(func() { c.send(codexshim.Down{Flush: 1}) })
		}
	}
	m.roundLocked()
}

func (m *foreign) flushed(c *shimConn, _ int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.waits, c)
	m.roundLocked()
}

// roundLocked ends the round once all have flushed.
func (m *foreign) roundLocked() {
	switch {
	case len(m.waits) > 0 || !m.flushing || m.gone:
	case m.dirty:
		m.syncLocked()
	default:
		m.busy, m.flushing = false, false
		m.env.worked(-1)
	}
}

// add takes a codex of an agent in, and returns once the one before it is gone: a
// home has one codex at a time.
func (m *foreign) add(c *shimConn) {
	m.env.worked(+1)
	defer m.env.worked(-1)
	m.mu.Lock()
	before := m.lastOf(c.agent)
	m.codexes = append(m.codexes, c)
	m.movedLocked()
	m.mu.Unlock()
	if before == nil {
		return
	}
	<-before.ended
	m.mu.Lock()
	defer m.mu.Unlock()
	m.codexes = slices.DeleteFunc(m.codexes, func(x *shimConn) bool { return x == before })
}

// lastOf is the agent's codex that was started last, nil for none.
func (m *foreign) lastOf(a *agent) *shimConn {
	for _, c := range slices.Backward(m.codexes) {
		if c.agent == a {
			return c
		}
	}
	return nil
}

func (m *foreign) fromCodex(c *shimConn, line []byte) {
	m.mu.Lock()
	c.lines++
	m.movedLocked()
	m.mu.Unlock()
	c.send(codexshim.Down{Out: append(append([]byte{}, line...), '\n')})
}

func (m *foreign) codexExited(c *shimConn, x codex.Exit) {
	m.mu.Lock()
	c.gone = true
	delete(m.waits, c)
	m.movedLocked()
	m.roundLocked()
	m.mu.Unlock()
	close(c.ended)
	code := x.Code
	c.send(codexshim.Down{Exit: &code})
}
