package codex_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/codextest"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// fakeRig is a session with a fake app-server in a synctest bubble.
type fakeRig struct {
	t       *testing.T
	server  *codextest.Server
	wire    *codex.Wire // nil without rules
	client  *codex.Client
	clock   *manualClock
	session agentcore.Session
	calls   agentcore.CallID

	detail func(timeline.Item) // sees every item

	mu     sync.Mutex
	events []string
	work   int
	asks   []string
	values map[agentcore.CallID]any
}

func fake(t *testing.T, server *codextest.Server, test func(*fakeRig)) {
	t.Helper()
	fakeWire(t, server, nil, test)
}

func fakeWire(t *testing.T, server *codextest.Server, rules []codex.WireRule, test func(*fakeRig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &fakeRig{t: t, server: server, values: map[agentcore.CallID]any{},
			clock: &manualClock{timers: map[*manualTimer]bool{}}}
		var backend codex.Backend = server
		if rules != nil {
			r.wire = &codex.Wire{Backend: server, Rules: rules}
			backend = r.wire
		}
		r.client = &codex.Client{
			Backend: backend, Clock: r.clock,
			Command: func(agentcore.OpenRequest) (codex.Command, error) { return codex.Command{Agent: "main"}, nil },
			Hooks: codex.Hooks{
				Unknown: func(_, method, why string) { r.note("unknown %s: %s", method, why) },
				Work:    func(d int) { r.mu.Lock(); r.work += d; r.mu.Unlock() },
			},
		}
		test(r)
		if r.session != nil {
			r.do(agentcore.CloseSession{})
			synctest.Wait()
		}
		require.Empty(t, r.clock.armed(), "timers outlive the session")
		require.Zero(t, r.work, "work that is never done would keep a scenario from settling")
	})
}

func (r *fakeRig) open(config agentcore.SessionConfig) {
	r.openWith(agentcore.OpenRequest{AgentID: "main", Config: config})
}

func (r *fakeRig) openWith(req agentcore.OpenRequest) {
	r.session = r.client.Open(req, r.sink)
}

func (r *fakeRig) do(op agentcore.Op) agentcore.CallID {
	r.calls++
	r.session.Do(agentcore.Call{ID: r.calls, Op: op})
	return r.calls
}

func (r *fakeRig) start(text string) agentcore.CallID {
	return r.do(agentcore.StartTurn{Prompt: agentcore.Prompt{Text: text}, ClientID: "c-" + text})
}

func (r *fakeRig) steer(text string) agentcore.CallID {
	return r.do(agentcore.SteerTurn{Prompt: agentcore.Prompt{Text: text}, ClientID: "c-" + text, Turn: "turn-1"})
}

// started is a session with a turn that codex was asked for and has not announced.
func (r *fakeRig) started() {
	r.open(agentcore.SessionConfig{})
	r.start("one")
	r.take()
}

// running is a session with a turn that codex has announced.
func (r *fakeRig) running() {
	r.started()
	r.server.Begin()
	r.server.Echo("u1", "c-one", "one")
	r.take()
}

func (r *fakeRig) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, fmt.Sprintf(format, args...))
}

// take returns what happened since the last take, once all goroutines wait.
func (r *fakeRig) take() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	events := r.events
	r.events = nil
	return events
}

// expect compares what happened since the last take.
func (r *fakeRig) expect(want ...string) {
	r.t.Helper()
	require.Equal(r.t, want, r.take())
}

func (r *fakeRig) sink(e agentcore.Event) {
	switch e := e.(type) {
	case agentcore.Opened:
		r.note("opened %s", e.Handle.SessionID)
	case agentcore.Answer:
		r.mu.Lock()
		r.values[e.Call] = e.Value
		r.mu.Unlock()
		r.note("answer %d%s", e.Call, outcome(e))
	case agentcore.TurnStarted:
		r.note("started %s", e.Turn)
	case agentcore.TurnEnded:
		r.note("ended %s %s%s%s", e.Turn, e.Status, optional(" ", e.Error), dropped(e.Dropped))
	case agentcore.ItemUpdated:
		if r.detail != nil {
			r.detail(e.Item)
		}
		r.note("item %s", describeItem(e.Item))
	case agentcore.Taken:
		r.note("taken %s %s", e.ClientID, e.ItemID)
	case agentcore.UsageUpdated:
		r.note("usage %s", describeUsage(e.Usage))
	case agentcore.PermissionRequested:
		r.mu.Lock()
		r.asks = append(r.asks, e.Request.ID)
		r.mu.Unlock()
		r.note("asked %s %s: %s", e.Request.ID, e.Request.Name, e.Request.Title)
	case agentcore.PermissionResolved:
		r.note("resolved %s allow=%v%s", e.Request, e.Response.Allow, optional(" ", e.Response.Message))
	case agentcore.SettingChanged:
		r.note("setting %s=%s", e.Name, e.Value)
	case agentcore.Notice:
		r.note("notice %s %s%s retry=%v", e.Level, e.Text, optional(" ", e.Code), e.Retry)
	case agentcore.Exited:
		r.note("gone %v", e.Err)
	}
}

func outcome(e agentcore.Answer) string {
	if u, ok := e.Err.(*agentcore.Unavailable); ok {
		return fmt.Sprintf(" unavailable %s%s: %s", u.Reason, optional(" ", u.Kind), u.Message)
	}
	if e.Err != nil {
		return " error: " + e.Err.Error()
	}
	if s, ok := e.Value.(string); ok {
		return " " + s
	}
	return ""
}

func optional(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

func dropped(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf(" dropped=%q", ids)
}

func describeUsage(u agentcore.Usage) string {
	text := ""
	for _, f := range []struct {
		name string
		n    *int64
	}{{"in", u.Input}, {"cached", u.CachedInput}, {"out", u.Output}, {"total", u.Total}, {"used", u.ContextUsed}, {"max", u.ContextMax}} {
		if f.n != nil {
			text += fmt.Sprintf("%s=%d ", f.name, *f.n)
		}
	}
	return text
}

// manualClock runs a timer out only when a test says so.
type manualClock struct {
	mu     sync.Mutex
	timers map[*manualTimer]bool
}

type manualTimer struct {
	name string
	d    time.Duration
	fire func()
}

func (c *manualClock) Now() time.Time { return time.Time{} }

func (c *manualClock) AfterFunc(name string, d time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &manualTimer{name, d, f}
	c.timers[t] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, t)
	}
}

// armed lists the timers that run, as name and length.
func (c *manualClock) armed() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for t := range c.timers {
		out = append(out, fmt.Sprintf("%s %v", t.name, t.d))
	}
	slices.Sort(out)
	return out
}

// expire runs out the timers of a name.
func (c *manualClock) expire(name string) {
	c.mu.Lock()
	var due []*manualTimer
	for t := range c.timers {
		if t.name == name {
			due = append(due, t)
			delete(c.timers, t)
		}
	}
	c.mu.Unlock()
	for _, t := range due {
		t.fire()
	}
}
