package agentcore

import (
	"fmt"
)

type sessionPhase int

const (
	sessionNone    sessionPhase = iota // there is none; the next turn opens one
	sessionOpening                     // Open was called
	sessionReading                     // it is open, its history is being read
	sessionReady
	sessionEnding // it is being closed to make room for another
)

// session is the machine's side of the provider's runtime.
type session struct {
	phase       sessionPhase
	number      int
	resume      *Handle
	historyOnly bool
	waiters     []ReqID // of creates, loads and reloads: until it is ready
	reading     []ReqID // of hydrates
}

type callKind int

const (
	callStart callKind = iota
	callSteer
	callInterrupt
	callOrphan // an interrupt of a turn that started too late
	callCompact
	callCommand
	callRespond
	callSet
	callHistory
	callVerify // a ReadHistory that says what became of texts
	callPass   // a fork or a raw call: the answer is the caller's
	callEnd    // CloseSession, for close, reload and a stale session
)

// pendingCall is a call that the session has not answered.
type pendingCall struct {
	id   CallID
	kind callKind
	req  ReqID
	text *sending
	op   Op
}

func (m *Machine) call(c pendingCall) CallID {
	m.calling++
	c.id = m.calling
	m.calls = append(m.calls, c)
	m.do(CallSession{m.sess.number, Call{c.id, c.op}})
	return c.id
}

func (m *Machine) takeCall(id CallID) (pendingCall, bool) {
	for i, c := range m.calls {
		if c.id == id {
			m.calls = append(m.calls[:i:i], m.calls[i+1:]...)
			return c, true
		}
	}
	return pendingCall{}, false
}

func (m *Machine) pendingKind(k callKind) bool {
	for _, c := range m.calls {
		if c.kind == k {
			return true
		}
	}
	return false
}

// openSession asks for a new session, to go on with the conversation if there
// is one.
func (m *Machine) openSession() {
	m.sess.number++
	m.sess.phase = sessionOpening
	m.startTimer("start", m.limits.Start)
	m.do(OpenSession{m.sess.number, OpenRequest{
		AgentID: m.id, Config: m.agent.Config, Resume: m.sess.resume, HistoryOnly: m.sess.historyOnly,
		Unused: m.primed && m.agent.LastUserMessageAt.IsZero(),
	}})
}

// joinOpening answers the request once the session is ready.
func (m *Machine) joinOpening(req ReqID) {
	switch {
	case m.sess.phase == sessionReady, m.registered && m.sess.phase == sessionNone:
		m.reply(req, m.Snapshot(), nil)
		return
	case m.sess.phase == sessionNone:
		m.openSession()
	}
	m.sess.waiters = append(m.sess.waiters, req)
}

// sessionOpened: the session can take calls.
func (m *Machine) sessionOpened(e Opened) {
	if m.sess.phase != sessionOpening {
		m.nonsense("it opened twice")
		return
	}
	m.stopTimer("start")
	m.adopt(e)
	if len(m.agent.Config.MCPServers) > 0 && !e.Capabilities.MCP {
		m.openFailed(saying("Provider '%s' does not support MCP servers", m.agent.Config.Provider))
		return
	}
	if m.closing != nil {
		m.sess.phase = sessionReady
		m.endSession()
		return
	}
	m.announce()
}

// announce shows an agent whose session is open to the world.
func (m *Machine) announce() {
	if !m.registered {
		m.registered = true
		m.agent.Lifecycle = Initializing
		m.emit()
	}
	switch {
	case !m.primed:
		m.readHistory()
	case len(m.unsure) > 0:
		m.sess.phase = sessionReading
		m.call(pendingCall{kind: callVerify, op: ReadHistory{}})
	default:
		m.sessionReady()
	}
}

// adopt takes over what the session says of itself.
func (m *Machine) adopt(e Opened) {
	handle := e.Handle
	if handle.SessionID != "" {
		m.agent.Handle, m.sess.resume = &handle, &handle
	}
	if e.Info.SessionID == "" {
		e.Info.SessionID = handle.SessionID
	}
	m.agent.Info, m.agent.Capabilities, m.agent.Modes = e.Info, e.Capabilities, e.Modes
	if e.Info.Mode != "" {
		m.agent.Config.Mode = e.Info.Mode
	}
	m.asks.replace(e.Pending)
}

func (m *Machine) readHistory() {
	m.sess.phase = sessionReading
	m.call(pendingCall{kind: callHistory, op: ReadHistory{}})
}

func (m *Machine) sessionReady() {
	m.sess.phase = sessionReady
	m.agentReady()
	if r := m.run; r != nil && r.foreground && r.phase == runStarting && r.call == 0 {
		m.issueStart(r)
	}
}

// agentReady ends the agent's initialisation.
func (m *Machine) agentReady() {
	if m.agent.Lifecycle == Initializing {
		if m.run != nil && m.run.phase == runStarted {
			m.setLifecycle(Running) // the provider did not wait
		} else {
			m.setLifecycle(Idle)
		}
		m.emit()
	}
	waiters := m.sess.waiters
	m.sess.waiters = nil
	for _, req := range waiters {
		m.save(Reply{Req: req, Result: m.Snapshot()})
	}
}

// openFailed: the session never came to be. Before the agent was announced
// that is the end of it; else the turn that needed the session fails.
func (m *Machine) openFailed(err error) {
	m.stopTimer("start")
	if m.sess.phase != sessionNone {
		m.do(CallSession{m.sess.number, Call{m.nextCall(), CloseSession{}}})
		m.sess.phase = sessionNone
		m.sess.number++ // nothing that it still says counts
	}
	waiters := m.sess.waiters
	m.sess.waiters = nil
	for _, req := range waiters {
		m.reply(req, nil, err)
	}
	if m.closing != nil {
		m.finishClose()
		return
	}
	if !m.registered || m.agent.Lifecycle == Initializing {
		m.abandon(err)
		return
	}
	if m.run != nil && m.run.phase == runStarting {
		m.startFailed(m.run, err)
	}
}

func (m *Machine) nextCall() CallID { m.calling++; return m.calling }

// nonsense notes that the session broke its contract.
func (m *Machine) nonsense(what string) {
	m.publish(Streamed{m.id, Notice{Level: "warning", Text: "The session does not make sense: " + what}})
}

// answered ends a call.
func (m *Machine) answered(a Answer) {
	c, ok := m.takeCall(a.Call)
	if !ok {
		m.nonsense(fmt.Sprintf("it answered call %d, which is not open", a.Call))
		return
	}
	switch c.kind {
	case callStart:
		m.startAnswered(c, a)
	case callSteer:
		m.steerAnswered(c, a)
	case callInterrupt:
		m.interruptAnswered(c, a)
	case callOrphan:
	case callCompact:
		m.compactAnswered(c, a)
	case callCommand:
		m.commandAnswered(a)
	case callRespond:
		m.responded(c, a)
	case callSet:
		m.settingAnswered(c, a)
	case callHistory:
		m.historyRead(a)
	case callVerify:
		m.verified(a)
	case callPass:
		m.reply(c.req, a.Value, a.Err)
	case callEnd:
		m.endAnswered(a.Err)
	}
}

// pass hands a request through to the session.
func (m *Machine) pass(req ReqID, op Op) {
	if m.sess.phase != sessionReady {
		m.reply(req, nil, errNoSession(m.id))
		return
	}
	m.call(pendingCall{kind: callPass, req: req, op: op})
}
