package interact

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// openCall is a call that the script has not answered.
type openCall struct {
	id   agentcore.CallID
	kind string
}

// player plays the world around a machine: callers, session, clock and store.
type player struct {
	settings settings
	machine  *agentcore.Machine
	check    *checker // nil: nobody looks
	now      time.Time
	session  int
	opening  *agentcore.OpenSession
	calls    []openCall
	timers   map[string]agentcore.StartTimer
	turns    map[string]bool // by id: still open at the provider
	reqs     agentcore.ReqID
	names    map[agentcore.ReqID]string
	out      *bytes.Buffer // nil: nothing is written
	log      timeline.Timeline
	record   agentcore.Record
	hold     bool
	fail     bool
	held     []heldStored
	fresh    int
}

// heldStored is something that the store has not told its machine yet.
type heldStored struct {
	machine *agentcore.Machine
	stored  agentcore.Stored
}

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newPlayer(s settings) *player {
	return &player{settings: s, now: epoch, timers: map[string]agentcore.StartTimer{}, turns: map[string]bool{}, names: map[agentcore.ReqID]string{}}
}

// again makes the player new, in the same memory: an exploration plays tens of
// thousands of orders.
func (p *player) again() {
	clear(p.timers)
	clear(p.turns)
	clear(p.names)
	if p.check != nil {
		p.check.again()
	}
	*p = player{
		settings: p.settings, check: p.check, now: epoch, timers: p.timers, turns: p.turns, names: p.names,
		calls: p.calls[:0], held: p.held[:0], log: timeline.Timeline{Rows: p.log.Rows[:0]},
	}
}

// possible says what is missing for the input to make sense now: the call that
// it answers must be open, the timer must run, there must be an agent.
func (p *player) possible(c *command) (missing string) {
	switch {
	case c.answers != "" && p.find(c) < 0:
		return "no such call is open"
	case c.timer != "" && !p.runs(c.timer):
		return "the timer does not run"
	case c.request == nil && c.opens && p.opening == nil:
		return "no session is opening"
	case p.machine == nil && !c.creates() && c.special != "store" && (p.record.ID == "" || !onStored(c.request)):
		return "there is no agent"
	}
	return ""
}

func (p *player) runs(timer string) bool { _, ok := p.timers[timer]; return ok }

func (c *command) creates() bool {
	switch c.request.(type) {
	case agentcore.CreateRequest, agentcore.LoadRequest:
		return true
	}
	return false
}

// likely is possible with the session's own sense: nothing is said of a turn
// that is not open.
func (p *player) likely(c *command) bool {
	if p.possible(c) != "" {
		return false
	}
	if c.event != nil && !c.opens && (p.session == 0 || p.opening != nil) {
		return false
	}
	return c.turn == "" || p.turns[c.turn]
}

func (p *player) find(c *command) int {
	n := c.nth
	for i, call := range p.calls {
		if call.kind == c.answers {
			if n == 0 {
				return i
			}
			n--
		}
	}
	return -1
}

// play plays one input, or says why that is not possible.
func (p *player) play(c *command) (missing string) {
	if missing := p.possible(c); missing != "" {
		return missing
	}
	p.now = p.now.Add(time.Millisecond)
	if c.begins != "" {
		p.turns[c.begins] = true
	}
	switch {
	case c.special != "":
		p.special(c)
	case c.request != nil:
		p.ask(c)
		if c.opens && p.opening != nil {
			p.step(p.opened("thread-1"))
		}
	case c.answers != "":
		i := p.find(c)
		id := p.calls[i].id
		p.calls = slices.Delete(p.calls, i, i+1)
		p.step(agentcore.Happened{Session: p.session, Event: agentcore.Answer{Call: id, Value: c.value, Err: c.err}})
	case c.timer != "":
		t := p.timers[c.timer]
		delete(p.timers, c.timer)
		p.now = p.now.Add(t.After)
		p.step(agentcore.Expired{Timer: c.timer, Gen: t.Gen})
	case c.opens:
		p.step(p.opened(c.or(1, "thread-1")))
	default:
		p.step(agentcore.Happened{Session: p.session, Event: c.event})
	}
	if c.ends != "" {
		p.turns[c.ends] = false
	}
	return ""
}

func (p *player) opened(thread string) agentcore.Input {
	if r := p.opening.Request.Resume; r != nil {
		thread = r.SessionID
	}
	p.session = p.opening.Session
	p.opening = nil
	return agentcore.Happened{Session: p.session, Event: agentcore.Opened{
		Handle: agentcore.Handle{Provider: "script", SessionID: thread}, Info: agentcore.RuntimeInfo{Provider: "script"}, Capabilities: p.settings.caps,
	}}
}

// ask puts a caller's request, to a new machine when there is none.
func (p *player) ask(c *command) {
	p.reqs++
	p.fresh++
	asked := agentcore.Asked{Req: p.reqs, Request: c.request, Fresh: "e" + strconv.Itoa(p.fresh)}
	p.names[p.reqs] = label(c)
	p.deliver(asked)
}

func label(c *command) string {
	switch r := c.request.(type) {
	case agentcore.SendRequest:
		return r.ClientID
	case agentcore.RunRequest:
		return r.ClientID
	}
	return c.words[0]
}
