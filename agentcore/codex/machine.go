package codex

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// The machine decides everything about one session: it takes an input and
// says what is to be done. It knows no goroutine, clock or pipe.

// input is one of the types below.
type input interface{ input() }

type (
	openInput struct{}
	callInput struct{ call agentcore.Call }
	lineInput struct { // a line of process number gen
		gen  int
		line []byte
	}
	exitInput struct {
		gen  int
		exit Exit
	}
	timerInput struct{ timer int }
)

func (openInput) input()  {}
func (callInput) input()  {}
func (lineInput) input()  {}
func (exitInput) input()  {}
func (timerInput) input() {}

// effect is one of the types below.
type effect interface{ effect() }

type (
	startEffect struct{ gen int }
	writeEffect struct{ line []byte }
	emitEffect  struct{ event agentcore.Event }
	armEffect   struct {
		timer int
		name  string
		after time.Duration
	}
	disarmEffect  struct{ timer int }
	closeEffect   struct{}
	killEffect    struct{}
	unknownEffect struct{ method, why string }
)

func (startEffect) effect()   {}
func (writeEffect) effect()   {}
func (emitEffect) effect()    {}
func (armEffect) effect()     {}
func (disarmEffect) effect()  {}
func (closeEffect) effect()   {}
func (killEffect) effect()    {}
func (unknownEffect) effect() {}

// phase is where the machine stands with its process.
type phase int

const (
	down    phase = iota // no process; the next call that needs one starts it
	rising               // process started, handshake under way
	up                   // calls go through
	closing              // CloseSession was asked; waiting for the exit
	gone                 // Exited was told
)

type machine struct {
	req      agentcore.OpenRequest
	limits   Limits
	rollouts string
	settings settings

	phase  phase
	gen    int  // number of the process
	opened bool // Opened was told
	killed bool // the process is ended by us for a broken limit

	quirks  Quirks
	known   known
	thread  string
	info    agentcore.RuntimeInfo
	fresh   bool // the thread holds nothing yet that could be resumed
	waiting []agentcore.Call

	nextID int
	calls  map[int]*wireCall

	nextTimer int
	timers    map[int]func()

	turns    turns
	items    items
	asks     asks
	children children

	closeCall *agentcore.CallID
	openFault error // why a session that was never open is closing
	out       []effect
}

// wireCall is a request to codex that has no reply yet.
type wireCall struct {
	method string
	timer  int // 0: none
	done   func(reply)
}

// reply is how a wireCall ended: Result, an error of codex, or a broken wire.
type reply struct {
	result json.RawMessage
	err    error // *jsonrpc.Error, *timeout or *lost
}

// timeout is the error of a wireCall whose limit ran out.
type timeout struct{ method string }

func (t *timeout) Error() string { return t.method + " was not answered in time" }

// lost is the error of a wireCall whose process ended.
type lost struct{ text string }

func (l *lost) Error() string { return l.text }

func newMachine(req agentcore.OpenRequest, limits Limits) *machine {
	return &machine{
		req: req, limits: limits,
		settings: settingsOf(req),
		calls:    map[int]*wireCall{},
		timers:   map[int]func(){},
	}
}

func (m *machine) step(in input) []effect {
	m.out = nil
	switch in := in.(type) {
	case openInput:
		if err := checkMode(m.settings.mode); err != nil && m.settings.mode != "" {
			m.finish(err, "")
			break
		}
		m.rise()
	case callInput:
		m.takeCall(in.call)
	case lineInput:
		if in.gen == m.gen && m.phase != gone && m.phase != down {
			m.takeLine(in.line)
		}
	case timerInput:
		if fire := m.timers[in.timer]; fire != nil {
			delete(m.timers, in.timer)
			fire()
		}
	case exitInput:
		if in.gen == m.gen && m.phase != gone && m.phase != down {
			m.takeExit(in.exit)
		}
	}
	return m.out
}

func (m *machine) do(e effect)            { m.out = append(m.out, e) }
func (m *machine) emit(e agentcore.Event) { m.do(emitEffect{e}) }
func (m *machine) answer(id agentcore.CallID, value any, err error) {
	m.emit(agentcore.Answer{Call: id, Value: value, Err: err})
}

func (m *machine) after(name string, d time.Duration, fire func()) int {
	m.nextTimer++
	m.timers[m.nextTimer] = fire
	m.do(armEffect{m.nextTimer, name, d})
	return m.nextTimer
}

func (m *machine) disarm(timer int) {
	if timer != 0 && m.timers[timer] != nil {
		delete(m.timers, timer)
		m.do(disarmEffect{timer})
	}
}

// request sends a request; done is called with its reply, in wire order.
func (m *machine) request(method string, params any, done func(reply)) *wireCall {
	if m.phase == down { // the process ended while this call was being made up
		done(reply{err: &lost{"Codex app-server is not running"}})
		return &wireCall{}
	}
	m.nextID++
	id := m.nextID
	raw, err := jsonrpc.Raw(params)
	if err != nil {
		done(reply{err: fmt.Errorf("params of %s: %w", method, err)})
		return &wireCall{}
	}
	c := &wireCall{method: method, done: done}
	m.calls[id] = c
	m.write(jsonrpc.Message{ID: idOf(id), Method: method, Params: raw})
	return c
}

// requestWithin is request with a limit, after which the call counts as
// unanswered for good.
func (m *machine) requestWithin(limit time.Duration, name, method string, params any, done func(reply)) {
	c := m.request(method, params, done)
	if c.done == nil {
		return
	}
	id := m.nextID
	c.timer = m.after(name, limit, func() {
		delete(m.calls, id)
		done(reply{err: &timeout{method}})
	})
}

func idOf(n int) json.RawMessage { return fmt.Appendf(nil, "%d", n) }

func (m *machine) write(msg jsonrpc.Message) { m.do(writeEffect{msg.Line()}) }

func (m *machine) takeLine(line []byte) {
	msg, err := jsonrpc.Parse(line)
	if err != nil {
		m.takeGarbage(line, err)
		return
	}
	switch msg.Kind() {
	case jsonrpc.Reply:
		m.takeReply(msg)
	case jsonrpc.Request:
		m.takeRequest(msg)
	case jsonrpc.Notification:
		m.takeNotification(msg)
	}
}

// takeGarbage ends a process that says nonsense before it has said anything
// else: it is no codex. Later, a line of a tool that writes to the wrong
// stream is let pass.
func (m *machine) takeGarbage(line []byte, err error) {
	const show = 200
	text := string(line)
	if len(text) > show {
		text = text[:show] + "…"
	}
	m.do(unknownEffect{"", fmt.Sprintf("%v: %q", err, text)})
	if m.phase == rising && m.info.Version == "" {
		m.failOpen(fmt.Errorf("codex app-server printed %q, which is no JSON-RPC message; is the binary codex?", text))
	}
}

func (m *machine) takeReply(msg jsonrpc.Message) {
	var id int
	if json.Unmarshal(msg.ID, &id) != nil || m.calls[id] == nil {
		m.do(unknownEffect{"", fmt.Sprintf("a reply to call %s, which is not waiting", msg.ID)})
		return
	}
	c := m.calls[id]
	delete(m.calls, id)
	m.disarm(c.timer)
	r := reply{result: msg.Result}
	if msg.Error != nil {
		r.err = msg.Error
	}
	c.done(r)
}
