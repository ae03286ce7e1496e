package codex

import (
	"slices"
	"sync"

	"github.com/heldstream/heldstream/agentcore"
)

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
	lifted  bool            // no rule applies any more
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
	over := false
	w.change(func() {
		p.inner, over = inner, p.ended
		if err != nil {
			w.forget(p)
			return
		}
		for _, lines := range p.early {
			w.later(func() { inner.Write(lines) })
		}
		p.early = nil
	})
	if err != nil {
		return nil, err
	}
	if over {
		inner.Kill()
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

// Lift ends all rules: what is held is lost, and what comes passes. It is for who
// closes: an exit that waited behind a held message is delivered.
func (w *Wire) Lift() {
	w.change(func() {
		w.lifted = true
		for _, p := range slices.Clone(w.procs) {
			p.toCodex.lift()
			p.toClient.lift()
		}
	})
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
