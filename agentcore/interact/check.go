package interact

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// Violation is an invariant that was broken.
type Violation struct {
	Name string // I1 … I13, or the name of one of our own
	What string
}

func (v Violation) String() string { return v.Name + ": " + v.What }

// checker watches the inputs and effects of a machine from outside and knows
// what must hold. It keeps its own account of everything.
type checker struct {
	faults []Violation

	ended     bool
	epoch     string
	lastSeq   int64
	lastAt    time.Time
	updated   time.Time
	lifecycle agentcore.Lifecycle
	turn      string // that the last published state shows
	byClient  map[string]bool
	placed    map[string]bool // texts that ever had a row, or were taken back
	queued    []string
	twice     map[string]bool // texts that are sent a second time
	open      string          // our own turn that is open, as it was told
	begun     map[string]bool
	finished  map[string]bool
	sends     []*sent                  // in the order of their requests
	asking    map[agentcore.ReqID]bool // interrupts, reloads, closes: not answered
	steer     *steering
	starts    map[agentcore.CallID]string // open StartTurns: client id
	orphans   map[string]bool             // turns whose start came too late
	replaces  int                         // sends that replace what runs: not answered
	steers    bool                        // the session can
	early     string                      // turn whose end was told before the state
	said      bool                        // the input is an item of the session
	late      bool                        // the input speaks of a turn that had ended
}

func newChecker() *checker {
	return &checker{
		byClient: map[string]bool{}, placed: map[string]bool{}, twice: map[string]bool{}, begun: map[string]bool{}, finished: map[string]bool{},
		asking: map[agentcore.ReqID]bool{}, starts: map[agentcore.CallID]string{}, orphans: map[string]bool{},
	}
}

// again makes the checker new, in the same memory.
func (c *checker) again() {
	for _, set := range []map[string]bool{c.byClient, c.placed, c.twice, c.begun, c.finished, c.orphans} {
		clear(set)
	}
	clear(c.asking)
	clear(c.starts)
	*c = checker{
		byClient: c.byClient, placed: c.placed, twice: c.twice, begun: c.begun, finished: c.finished, orphans: c.orphans,
		asking: c.asking, starts: c.starts, sends: c.sends[:0],
	}
}

// born: the machine is made from what is stored.
func (c *checker) born(b agentcore.Birth) {
	c.ended, c.steer, c.early, c.open = false, nil, "", ""
	c.epoch, c.lastSeq = b.Timeline.Epoch, int64(len(b.Timeline.Rows))
	c.queued = nil
	for _, h := range b.Timeline.Held {
		c.queued = append(c.queued, h.ClientID)
	}
	for _, r := range b.Timeline.Rows {
		c.lastAt = r.At
		c.byClient[r.Item.ClientID] = r.Item.ClientID != ""
	}
	clear(c.asking)
	clear(c.starts)
	clear(c.begun)
	clear(c.finished)
}

func (c *checker) fault(name, format string, args ...any) {
	c.faults = append(c.faults, Violation{name, fmt.Sprintf(format, args...)})
}

func (c *checker) takeFaults() []Violation {
	f := c.faults
	c.faults = nil
	return f
}

// step looks at one input and its effects.
func (c *checker) step(in agentcore.Input, effects []agentcore.Effect, m *agentcore.Machine) {
	before := checker{lifecycle: c.lifecycle, turn: c.turn}
	c.late, c.said = false, false
	if h, ok := in.(agentcore.Happened); ok {
		c.late = c.finished[turnOf(h.Event)]
		_, c.said = h.Event.(agentcore.ItemUpdated)
	}
	steer := c.input(in)
	for _, e := range effects {
		c.effect(e)
	}
	if steer != nil {
		c.steerRow(steer, effects)
	}
	c.after(&before, effects, m)
}

// input notes the input. It returns the steer that it accepts, if it does.
func (c *checker) input(in agentcore.Input) *steering {
	switch in := in.(type) {
	case agentcore.Asked:
		c.asked(in)
	case agentcore.Happened:
		if a, ok := in.Event.(agentcore.Answer); ok {
			return c.answer(a)
		}
		switch e := in.Event.(type) {
		case agentcore.Exited:
			c.steer = nil
			clear(c.starts)
		case agentcore.Opened:
			c.steers = e.Capabilities.Steer
		}
	case agentcore.Expired:
		if in.Timer == "steer" {
			c.steer = nil
		}
	}
	return nil
}

func (c *checker) asked(in agentcore.Asked) {
	switch r := in.Request.(type) {
	case agentcore.SendRequest:
		c.send(in.Req, r)
	case agentcore.RunRequest:
		c.send(in.Req, r.SendRequest)
	case agentcore.InterruptRequest, agentcore.ReloadRequest, agentcore.CloseRequest, agentcore.ArchiveRequest:
		c.asking[in.Req] = true
	}
}

func (c *checker) answer(a agentcore.Answer) *steering {
	if client, ok := c.starts[a.Call]; ok {
		delete(c.starts, a.Call)
		if turn, ok := a.Value.(string); ok && a.Err == nil && c.isSettled(client) {
			c.orphans[turn] = true
		}
	}
	s := c.steer
	if s == nil || s.call != a.Call {
		return nil
	}
	c.steer = nil
	if sent := c.byText(s.clientID); sent != nil {
		var u *agentcore.Unavailable
		sent.refused = errors.As(a.Err, &u)
	}
	if a.Err != nil {
		return nil
	}
	return s
}

// after compares before and after.
func (c *checker) after(before *checker, effects []agentcore.Effect, m *agentcore.Machine) {
	if c.ended {
		return
	}
	if c.early != "" {
		c.fault("I4", "turn %s is told to have ended while the state shows it", c.early)
		c.early = ""
	}
	now := m.Snapshot()
	if len(now.Queued) != len(c.queued) || !slices.EqualFunc(now.Queued, c.queued, func(h timeline.Held, id string) bool { return h.ClientID == id }) {
		c.fault("lost", "the store has %d queued prompts, the agent %d", len(c.queued), len(now.Queued))
	}
	if c.late && before.lifecycle != c.lifecycle {
		c.fault("I12", "an event of a turn that has ended changes the state")
	}
	if refusal(effects) && (before.lifecycle != c.lifecycle || before.turn != c.turn && before.turn != "") {
		c.fault("I10", "a refused cancel changes the state")
	}
	if now.Lifecycle == agentcore.Idle && (now.Turn != "" || now.Replacing) {
		c.fault("I13", "idle with turn %q, replacing=%v", now.Turn, now.Replacing)
	}
}
