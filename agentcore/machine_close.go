package agentcore

import "slices"

// closing is a close that is under way.
type closing struct {
	reqs     []ReqID
	after    []Asked // to be asked again when it is over
	archive  bool
	finished bool // all that is left is to be stored
	token    int
}

// Again asks the manager a request anew, now that this machine has ended.
type Again struct{ Asked Asked }

func (Again) effect() {}

func (m *Machine) close(req ReqID) {
	if m.closing != nil {
		m.closing.reqs = append(m.closing.reqs, req)
		return
	}
	m.closing = &closing{reqs: []ReqID{req}}
	switch m.sess.phase {
	case sessionNone:
		m.finishClose()
	case sessionOpening, sessionEnding:
		m.startTimer("close", m.limits.Close)
	default:
		m.endSession()
	}
}

func (m *Machine) archive(req ReqID, r ArchiveRequest) {
	if !r.meant(m.agent.Labels) {
		m.reply(req, nil, nil)
		return
	}
	if m.closing == nil && m.sess.phase == sessionNone { // the close is over at once
		m.closing = &closing{reqs: []ReqID{req}, archive: true}
		m.finishClose()
		return
	}
	m.close(req)
	m.closing.archive = true
}

// unarchive closes the session, which can only read, and is done to the record.
func (m *Machine) unarchive(in Asked) {
	if m.archived == nil {
		m.reply(in.Req, false, nil)
		return
	}
	m.close(0)
	if m.closing != nil {
		m.closing.after = append(m.closing.after, in)
	}
}

// endSession closes the session, or waits for an earlier try to do so.
func (m *Machine) endSession() {
	m.startTimer("close", m.limits.Close)
	if !m.pendingKind(callEnd) {
		m.call(pendingCall{kind: callEnd, op: CloseSession{}})
	}
}

func (m *Machine) endAnswered(err error) {
	m.stopTimer("close")
	switch {
	case err != nil && m.sess.phase != sessionNone:
		m.endFailed(err)
	case m.closing != nil:
		m.finishClose()
	case m.sess.phase == sessionEnding:
		m.sess.phase = sessionNone
		m.sess.number++
		m.sessionEnded()
	}
}

// endFailed: the session is still there, and the agent keeps it.
func (m *Machine) endFailed(err error) {
	if c := m.closing; c != nil {
		m.closing = nil
		for _, req := range c.reqs {
			m.reply(req, nil, err)
		}
		for _, in := range c.after {
			m.afterFailedClose(in, err)
		}
		if !m.registered { // it was to be closed before it had been shown
			m.announce()
			return
		}
	}
	if m.sess.phase == sessionEnding {
		m.sess.phase = sessionReady
		m.recycleFailed(err)
	}
}

// afterFailedClose: what waited for the end is asked of an agent that lives on.
func (m *Machine) afterFailedClose(in Asked, err error) {
	if _, ok := in.Request.(UnarchiveRequest); ok {
		m.reply(in.Req, nil, err)
		return
	}
	m.asked(in)
}

// closeExpired: the session does not close.
func (m *Machine) closeExpired() {
	if m.sess.phase == sessionOpening {
		m.finishClose()
		return
	}
	m.endFailed(saying("Timed out closing previous session during refresh"))
}

// finishClose leaves nothing of the agent but its record, its timeline and its
// queue.
func (m *Machine) finishClose() {
	c := m.closing
	c.finished = true
	for _, name := range sortedKeys(m.timers) {
		m.stopTimer(name)
	}
	if m.barrier {
		m.dropBarrier()
	}
	m.sess.phase = sessionNone
	m.cutRun("agent closed")
	m.failAll(errNoSession(m.id))
	m.ended = true
	m.agent.Lifecycle, m.agent.Replacing = Closed, false
	m.agent.Usage = nil
	m.asks.replace(nil)
	m.touch()
	if c.archive = c.archive && m.archived == nil; c.archive {
		at := m.agent.UpdatedAt
		m.archived, m.agent.Attention = &at, nil
	}
	m.closeStored()
}

func (m *Machine) closeStored() {
	if m.agent.Config.Internal || !m.registered {
		m.publishClosed()
		m.closed(nil)
		return
	}
	if len(m.saving) > 0 {
		m.saveNow()
	}
	m.dirty = false // this is the one record of the end
	m.tokens++
	m.closing.token = m.tokens
	m.do(Save{m.tokens, m.Record()})
	m.publishClosed()
}

func (m *Machine) publishClosed() {
	if m.registered {
		m.publish(StateChanged{m.Snapshot()})
	}
}

// closed ends the machine.
func (m *Machine) closed(err error) {
	c := m.closing
	m.closing = &closing{finished: true}
	for _, req := range c.reqs {
		m.reply(req, nil, err)
	}
	if c.archive && err == nil {
		m.do(Archived{m.id})
	}
	m.do(Ended{})
	for _, in := range c.after {
		m.do(Again{in})
	}
}

// abandon ends the machine of an agent whose session could not be opened.
func (m *Machine) abandon(err error) {
	m.closing = &closing{}
	if m.registered {
		m.finishClose()
		return
	}
	if r := m.run; r != nil && r.text != nil {
		m.run = nil
		r.text.going = false
		m.fail(r.text, err)
	}
	m.failAll(err)
	m.ended = true
	m.closed(nil)
}

// failAll answers all that waits for the session. Queued prompts stay.
func (m *Machine) failAll(err error) {
	m.failCalls(err)
	for _, o := range m.lane {
		m.failOp(o, err)
	}
	m.lane = nil
	for _, o := range m.waiting {
		m.failOp(o, err)
	}
	m.waiting = nil
	for _, req := range slices.Concat(m.sess.waiters, m.sess.reading) {
		m.reply(req, nil, err)
	}
	m.sess.waiters, m.sess.reading = nil, nil
	for _, w := range m.waiters {
		m.reply(w.req, nil, err)
	}
	m.waiters = nil
	m.forgetTexts()
}

func (m *Machine) failOp(o *op, err error) {
	if o.text != nil {
		m.fail(o.text, err)
	}
	for _, req := range o.reqs {
		m.reply(req, nil, err)
	}
}

// reload: see ReloadRequest. It is an operation of the lane: first the run is
// canceled, then the session is closed and another opened.
func (m *Machine) reloadNow(o *op) {
	m.sess.phase = sessionEnding
	m.endSession()
	o.phase = opRecycling
}

// sessionEnded: the old session is gone, on with a new one.
func (m *Machine) sessionEnded() {
	o := m.head()
	if o != nil && o.kind == opReload && o.phase == opRecycling {
		m.cutRun("agent reloaded")
		m.lane = m.lane[1:]
		m.sess.waiters = append(m.sess.waiters, o.reqs...)
		if o.rehydrate {
			m.newEpoch(o.fresh)
			m.primed = false
		}
		m.agent.Lifecycle, m.agent.Replacing = Initializing, false
		m.emit()
	}
	m.cancelBackground() // a stale session's
	m.openSession()
}

// recycleFailed: the session that should make room does not go.
func (m *Machine) recycleFailed(err error) {
	o := m.head()
	if o != nil && o.kind == opReload && o.phase == opRecycling {
		m.lane = m.lane[1:]
		m.agent.LastError = err.Error()
		m.setLifecycle(Failed)
		m.emit()
		m.failOp(o, err)
		return
	}
	if m.run != nil && m.run.phase == runStarting {
		m.startFailed(m.run, err)
	}
}
