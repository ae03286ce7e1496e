package codex

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// WireRule says what becomes of a message between the client and codex. The
// first rule that matches a message and has uses left applies to it; exactly
// one of the actions is set.
type WireRule struct {
	Agent string // "": each
	// Of is a method ("*": any); a reply has the method of its request. The
	// end of the process is a notification of the method "exit", and "*" does
	// not mean it.
	Of    string
	What  string // request, reply, notification; "": any
	Nth   int    // the one so numbered among an agent's matching messages; 0: each
	Times int    // messages that it applies to; 0: no end

	// Hold keeps the message at a gate. Later ones of the same direction pass
	// it, unless KeepOrder is set.
	Hold      string
	KeepOrder bool
	// Drop loses it.
	Drop bool
	// Repeat passes it and so many copies. With RepeatHold the copies wait at
	// that gate.
	Repeat     int
	RepeatHold string
	// Error answers a request, which goes no further, or takes the place of a
	// reply.
	Error *WireError
	// After keeps it until a later message of this method has passed in the
	// same direction.
	After string
	// Join keeps it and all that follows until a message of this method comes;
	// then all go out in one write.
	Join string
	// Exit ends codex right after it.
	Exit bool
}

// WireError is the error of an answer that codex never gave.
type WireError struct {
	Code    int
	Message string
}

// WireEventKind says what a rule did.
type WireEventKind string

// The kinds of wire events.
const (
	WireHeld     WireEventKind = "held" // it waits: at a gate, for another message, or to be joined
	WireReleased WireEventKind = "released"
	WireDropped  WireEventKind = "dropped" // by a rule, or with its process
	WireRepeated WireEventKind = "repeated"
	WireFailed   WireEventKind = "failed" // answered with an error
	WireExited   WireEventKind = "exited"
)

// WireEvent is something that a rule did to a message.
type WireEvent struct {
	Kind    WireEventKind
	Agent   string
	Rule    int    // index; -1: the message was only behind another
	Gate    string // Held, Released: "" without a gate
	Method  string
	What    string // request, reply, notification
	ToCodex bool
	Line    []byte
}

// Wire is a Backend that holds, drops, repeats and changes messages by rules.
// All methods are safe for concurrent use; the fields are not changed once it
// is used.
type Wire struct {
	Backend Backend
	Rules   []WireRule
	// Observe, when set, is told what the rules do, one at a time and in order.
	Observe func(WireEvent)
	// Work, when set, counts what is on its way through the Wire, as that of
	// Hooks does. What waits is not counted.
	Work func(delta int)

	mu      sync.Mutex
	queue   []func()        // calls to the outside, in order
	calling bool            // somebody works the queue off
	matched map[ruleUse]int // messages that a rule matched
	applied map[ruleUse]int
	open    map[string]bool // gates where nothing waits any more
	procs   []*wireProcess
	clocks  map[string]*standstill
}

type ruleUse struct {
	rule  int
	agent string
}

// Start implements Backend.
func (w *Wire) Start(cmd Command, cb Callbacks) (Process, error) {
	p := &wireProcess{wire: w, agent: cmd.Agent, callbacks: cb}
	p.toCodex.proc, p.toCodex.inbound = p, false
	p.toClient.proc, p.toClient.inbound = p, true
	w.mu.Lock()
	w.procs = append(w.procs, p)
	w.mu.Unlock()
	inner, err := w.Backend.Start(cmd, Callbacks{
		Line:   p.line,
		Stderr: cb.Stderr,
		Exit:   p.exit,
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	p.inner = inner
	if err != nil {
		w.forget(p)
		return nil, err
	}
	return p, nil
}

// change does something to the lanes under the lock, and then makes the calls
// that came of it. They are made outside the lock and in order, by whoever is
// at it already if somebody is: a process may answer while it is written to.
func (w *Wire) change(f func()) {
	w.work(+1)
	defer w.work(-1)
	w.mu.Lock()
	f()
	if w.calling {
		w.mu.Unlock()
		return
	}
	w.calling = true
	for len(w.queue) > 0 {
		calls := w.queue
		w.queue = nil
		w.mu.Unlock()
		for _, call := range calls {
			call()
			w.work(-1)
		}
		w.mu.Lock()
	}
	w.calling = false
	w.mu.Unlock()
}

// later queues a call to the outside.
func (w *Wire) later(call func()) {
	w.work(+1)
	w.queue = append(w.queue, call)
}

func (w *Wire) work(delta int) {
	if w.Work != nil {
		w.Work(delta)
	}
}

// Release lets messages go on from a gate: those of an agent ("": all), the
// nth of them from 1 (0: all); open keeps the gate open for what comes. It
// returns how many that were.
func (w *Wire) Release(gate, agent string, nth int, open bool) (n int) {
	w.change(func() { n = w.release(gate, agent, nth, open) })
	return n
}

func (w *Wire) release(gate, agent string, nth int, open bool) int {
	if open {
		if w.open == nil {
			w.open = map[string]bool{}
		}
		w.open[gate] = true
	}
	var let []*stay
	n := 0
	for _, s := range w.stays() {
		if s.gate != gate || agent != "" && s.lane.proc.agent != agent {
			continue
		}
		if n++; nth == 0 || nth == n {
			let = append(let, s)
		}
	}
	for _, s := range let {
		s.lane.release(s)
	}
	return len(let)
}

// Gates says how many messages wait at each gate now, those that are only
// behind another not counted.
func (w *Wire) Gates() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	gates := map[string]int{}
	for _, s := range w.stays() {
		if s.gate != "" {
			gates[s.gate]++
		}
	}
	return gates
}

// Holding says whether anything of an agent waits, for whatever reason.
func (w *Wire) Holding(agent string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.stays() {
		if s.lane.proc.agent == agent {
			return true
		}
	}
	return false
}

func (w *Wire) stays() []*stay {
	var all []*stay
	for _, p := range w.procs {
		all = append(append(all, p.toCodex.stays...), p.toClient.stays...)
	}
	return all
}

func (w *Wire) forget(p *wireProcess) {
	w.procs = slices.DeleteFunc(w.procs, func(o *wireProcess) bool { return o == p })
}

// ClockFor implements Timekeeper: the agent's timers stand still while
// anything of it is held.
func (w *Wire) ClockFor(agent string, base agentcore.Clock) agentcore.Clock {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.clocks == nil {
		w.clocks = map[string]*standstill{}
	}
	if w.clocks[agent] == nil {
		w.clocks[agent] = &standstill{base: base, timers: map[*stillTimer]bool{}}
	}
	return w.clocks[agent]
}

// pause counts what is held of an agent, up or down.
func (w *Wire) pause(agent string, delta int) {
	if c := w.clocks[agent]; c != nil {
		c.hold(delta)
	}
}

// ruleFor finds the rule that applies to a message, and counts its use.
func (w *Wire) ruleFor(agent string, p parcel) int {
	if w.matched == nil {
		w.matched, w.applied = map[ruleUse]int{}, map[ruleUse]int{}
	}
	for i, r := range w.Rules {
		if !r.matches(agent, p) {
			continue
		}
		use := ruleUse{i, agent}
		w.matched[use]++
		if r.Nth != 0 && r.Nth != w.matched[use] || r.Times != 0 && w.applied[use] >= r.Times {
			continue
		}
		w.applied[use]++
		return i
	}
	return -1
}

func (r WireRule) matches(agent string, p parcel) bool {
	return (r.Agent == "" || r.Agent == agent) &&
		(r.What == "" || r.What == p.what) &&
		(r.Of == p.method || r.Of == "*" && p.exit == nil)
}

// parcel is one message on its way, or the end of the process.
type parcel struct {
	method, what string
	id           json.RawMessage
	line         []byte
	exit         *Exit
}

// wireProcess is a process with a lane each way.
type wireProcess struct {
	wire      *Wire
	agent     string
	inner     Process
	callbacks Callbacks
	toCodex   lane
	toClient  lane
	ended     bool // by a rule: codex says nothing more
}

// Write implements Process.
func (p *wireProcess) Write(line []byte) {
	p.wire.change(func() { p.toCodex.arrive(p.parcel(line, &p.toCodex, &p.toClient)) })
}

// Close implements Process. What the wire still holds is of no use then.
func (p *wireProcess) Close() { p.inner.Close() }

// Kill implements Process.
func (p *wireProcess) Kill() { p.inner.Kill() }

func (p *wireProcess) line(line []byte) {
	own := slices.Clone(line)
	p.wire.change(func() {
		if !p.ended {
			p.toClient.arrive(p.parcel(own, &p.toClient, &p.toCodex))
		}
	})
}

func (p *wireProcess) exit(e Exit) {
	p.wire.change(func() {
		p.toCodex.drop()
		p.toClient.arrive(parcel{method: "exit", what: "notification", exit: &e})
	})
}

// parcel reads a line. Requests are remembered on their lane, so that the
// replies that come the other way have a method too.
func (p *wireProcess) parcel(line []byte, lane, back *lane) parcel {
	out := parcel{line: line}
	msg, err := jsonrpc.Parse(line)
	if err != nil {
		return out // garbage matches no rule but "*"
	}
	out.what, out.method, out.id = msg.Kind().String(), msg.Method, msg.ID
	switch msg.Kind() {
	case jsonrpc.Request:
		if lane.requests == nil {
			lane.requests = map[string]string{}
		}
		lane.requests[string(msg.ID)] = msg.Method
	case jsonrpc.Reply:
		out.method = back.requests[string(msg.ID)]
	}
	return out
}
