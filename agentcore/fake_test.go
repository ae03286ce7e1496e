package agentcore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

const agentA = "00000000-0000-4000-8000-00000000000a"

// fakeProvider opens sessions that do what the test tells them.
type fakeProvider struct {
	mu       sync.Mutex
	sessions []*fakeSession
	silent   bool // sessions do not open by themselves
	caps     agentcore.Capabilities
}

func (p *fakeProvider) Open(r agentcore.OpenRequest, sink agentcore.Sink) agentcore.Session {
	s := &fakeSession{request: r, sink: sink, caps: p.caps}
	p.mu.Lock()
	p.sessions = append(p.sessions, s)
	p.mu.Unlock()
	if !p.silent {
		s.open()
	}
	return s
}

func (p *fakeProvider) last() *fakeSession {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sessions[len(p.sessions)-1]
}

// fakeSession keeps calls until the test answers them; closes and history
// reads it answers itself, unless told otherwise.
type fakeSession struct {
	request agentcore.OpenRequest
	sink    agentcore.Sink
	caps    agentcore.Capabilities
	mu      sync.Mutex
	open_   []agentcore.Call
	log     []string
	hang    bool // closes are not answered
	history []agentcore.HistoryItem
}

func (s *fakeSession) open() {
	id := "thread-1"
	if s.request.Resume != nil {
		id = s.request.Resume.SessionID
	}
	s.sink(agentcore.Opened{
		Handle: agentcore.Handle{Provider: "fake", SessionID: id}, Info: agentcore.RuntimeInfo{Provider: "fake"}, Capabilities: s.caps,
	})
}

func (s *fakeSession) Do(c agentcore.Call) {
	s.mu.Lock()
	s.log = append(s.log, strings.TrimPrefix(fmt.Sprintf("%T", c.Op), "agentcore."))
	s.open_ = append(s.open_, c)
	hang := s.hang
	s.mu.Unlock()
	switch c.Op.(type) {
	case agentcore.CloseSession:
		if !hang {
			s.answer(nil, nil)
		}
	case agentcore.ReadHistory:
		s.answer(s.history, nil)
	}
}

// answer ends the newest call that is open.
func (s *fakeSession) answer(value any, err error) {
	s.mu.Lock()
	c := s.open_[len(s.open_)-1]
	s.open_ = s.open_[:len(s.open_)-1]
	s.mu.Unlock()
	s.sink(agentcore.Answer{Call: c.ID, Value: value, Err: err})
}

func (s *fakeSession) calls(kind string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, l := range s.log {
		if l == kind {
			n++
		}
	}
	return n
}

// rig is a manager with one fake provider, a clock of its own, and a count of
// what is under way.
type rig struct {
	*agentcore.Manager
	t        *testing.T
	provider *fakeProvider
	clock    *fakeClock
	mu       sync.Mutex
	cond     *sync.Cond
	work     int
	updates  []agentcore.Update
}

func newRig(t *testing.T, change func(*agentcore.Options)) *rig {
	r := &rig{t: t, provider: &fakeProvider{caps: agentcore.Capabilities{Steer: true, Compact: true}}, clock: newFakeClock()}
	r.cond = sync.NewCond(&r.mu)
	n := 0
	o := agentcore.Options{
		Providers: map[string]agentcore.Provider{"fake": r.provider},
		Clock:     r.clock,
		NewID:     func(kind string) string { n++; return fmt.Sprintf("%s-%d", kind, n) },
		Limits:    agentcore.Limits{Coalesce: agentcore.CoalesceUnbounded},
	}
	o.Hooks.Work = func(d int) {
		r.mu.Lock()
		r.work += d
		r.cond.Broadcast()
		r.mu.Unlock()
	}
	if change != nil {
		change(&o)
	}
	r.Manager = agentcore.New(o)
	r.Subscribe(func(u agentcore.Update) { r.updates = append(r.updates, u) }, agentcore.SubscribeOptions{})
	return r
}

// settle waits until nothing is under way.
func (r *rig) settle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.work > 0 {
		r.cond.Wait()
	}
}

func (r *rig) create() *fakeSession {
	r.t.Helper()
	_, err := r.Create(context.Background(), agentcore.CreateRequest{
		AgentID: agentA, Config: agentcore.SessionConfig{Provider: "fake", Cwd: r.t.TempDir()},
	})
	require.NoError(r.t, err)
	return r.provider.last()
}

func (r *rig) begin(req agentcore.Request) *agentcore.Pending {
	p := r.Begin(req)
	r.settle()
	return p
}

func (r *rig) send(text, preset string) *agentcore.Pending {
	p, ok := agentcore.PresetNamed(preset)
	require.True(r.t, ok)
	return r.begin(agentcore.SendRequest{AgentID: agentA, Prompt: agentcore.Prompt{Text: text}, ClientID: text, Policy: p})
}

// emit has the session say something and waits until all has come of it.
func (r *rig) emit(events ...agentcore.Event) {
	for _, e := range events {
		r.provider.last().sink(e)
	}
	r.settle()
}

func (r *rig) answer(value any, err error) {
	r.provider.last().answer(value, err)
	r.settle()
}

func (r *rig) state() agentcore.Lifecycle {
	a, ok := r.Get(agentA)
	if !ok {
		return "none"
	}
	return a.Lifecycle
}

func (r *rig) rows() []string {
	r.t.Helper()
	tl, err := r.Timeline(agentA)
	require.NoError(r.t, err)
	var lines []string
	for _, row := range tl.Rows {
		l := string(row.Item.Kind) + ": " + row.Item.Text + row.Item.Name
		if s := string(row.Item.Status) + row.Item.State; s != "" {
			l += " " + s
		}
		lines = append(lines, strings.TrimSuffix(l, ": "))
	}
	return lines
}

func (r *rig) states() []agentcore.Lifecycle {
	var all []agentcore.Lifecycle
	for _, u := range r.updates {
		if s, ok := u.(agentcore.StateChanged); ok {
			all = append(all, s.Agent.Lifecycle)
		}
	}
	return slices.Compact(all)
}

func done(t *testing.T, p *agentcore.Pending) agentcore.SendResult {
	t.Helper()
	select {
	case <-p.Done():
	default:
		t.Fatal("the request is not answered")
	}
	v, err := p.Result()
	require.NoError(t, err)
	return v.(agentcore.SendResult)
}

// fakeClock moves only when it is told to.
type fakeClock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*fakeTimer
	armed  func(name string) // told of each timer
}

type fakeTimer struct {
	name string
	f    func()
	off  bool
}

func newFakeClock() *fakeClock { return &fakeClock{now: time.Unix(1000, 0).UTC()} }

func (c *fakeClock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *fakeClock) AfterFunc(name string, _ time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &fakeTimer{name: name, f: f}
	c.timers = append(c.timers, t)
	if c.armed != nil {
		c.armed(name)
	}
	return func() { c.mu.Lock(); t.off = true; c.mu.Unlock() }
}

// expire runs the timer of this name and says whether there was one.
func (c *fakeClock) expire(name string) bool {
	c.mu.Lock()
	i := slices.IndexFunc(c.timers, func(t *fakeTimer) bool { return t.name == name && !t.off })
	if i < 0 {
		c.mu.Unlock()
		return false
	}
	t := c.timers[i]
	t.off = true
	c.mu.Unlock()
	t.f()
	return true
}

func text(id, s string, final bool) agentcore.Event {
	return agentcore.ItemUpdated{Item: agentcore.Item{Kind: timeline.Assistant, ID: id, Text: s, Final: final}}
}
