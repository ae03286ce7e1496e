package agentcore

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// SubscribeOptions narrow a subscription.
type SubscribeOptions struct {
	// AgentID: this agent only, internal ones as well. Empty: all agents but
	// internal ones.
	AgentID string
	// NoReplay: begin with what happens next. Otherwise the present states
	// come first, before Subscribe returns.
	NoReplay bool
}

// views is what the world sees of the live agents.
type views struct {
	mu     sync.RWMutex
	agents map[string]*view
	subs   []*subscriber // replaced, never changed
}

type view struct {
	agent    Agent
	known    bool // a state was published
	timeline timeline.Timeline
}

type subscriber struct {
	mu   sync.Mutex // held during each call; keeps updates behind the replay
	call func(Update)
	opts SubscribeOptions
	off  atomic.Bool
}

// Subscribe has f called with every update, one at a time and in order. f runs
// in the manager's own goroutine: it must neither wait for the manager nor
// take long. A panic in it harms nobody. Nothing new is told after cancel.
func (m *Manager) Subscribe(f func(Update), o SubscribeOptions) (cancel func()) {
	s := &subscriber{call: f, opts: o}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range m.views.join(s) {
		s.tell(StateChanged{a}, m.opts.Hooks.Panicked)
	}
	return func() {
		s.off.Store(true)
		m.views.leave(s)
	}
}

// join adds a subscriber and returns what is to be replayed to it.
func (v *views) join(s *subscriber) []Agent {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.subs = append(slices.Clip(v.subs), s)
	if s.opts.NoReplay {
		return nil
	}
	return slices.DeleteFunc(v.listLocked(), func(a Agent) bool { return !s.wants(a.ID, a.Config.Internal) })
}

func (v *views) leave(s *subscriber) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.subs = slices.DeleteFunc(slices.Clone(v.subs), func(o *subscriber) bool { return o == s })
}

func (s *subscriber) wants(id string, internal bool) bool {
	return s.opts.AgentID == id || s.opts.AgentID == "" && !internal
}

func (s *subscriber) tell(u Update, panicked func(string, any)) {
	defer func() {
		if v := recover(); v != nil && panicked != nil {
			panicked(u.AgentID(), v)
		}
	}()
	if !s.off.Load() {
		s.call(u)
	}
}

func (v *views) begin(id string, tl timeline.Timeline) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.agents[id] = &view{timeline: tl.Clone()}
}

func (v *views) end(id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.agents, id)
}

func (v *views) apply(id string, entries []timeline.Entry) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if a := v.agents[id]; a != nil {
		for _, e := range entries {
			_ = a.timeline.Apply(e) // the machine numbers rows as the timeline does
		}
	}
}

// publish tells everybody who wants to know.
func (v *views) publish(u Update, panicked func(string, any)) {
	id := u.AgentID()
	v.mu.Lock()
	subs, internal := v.subs, false
	if a := v.agents[id]; a != nil {
		if s, ok := u.(StateChanged); ok {
			a.agent, a.known = s.Agent, true
		}
		internal = a.agent.Config.Internal
	}
	v.mu.Unlock()
	for _, s := range subs {
		if s.wants(id, internal) {
			s.mu.Lock()
			s.tell(u, panicked)
			s.mu.Unlock()
		}
	}
}

func (v *views) listLocked() []Agent {
	var all []Agent
	for _, id := range slices.Sorted(maps.Keys(v.agents)) {
		if a := v.agents[id]; a.known {
			all = append(all, a.agent)
		}
	}
	return all
}

// Get is the present state of a live agent.
func (m *Manager) Get(id string) (Agent, bool) {
	m.views.mu.RLock()
	defer m.views.mu.RUnlock()
	a := m.views.agents[id]
	if a == nil || !a.known {
		return Agent{}, false
	}
	return a.agent, true
}

// List is the present state of all live agents but internal ones, in the order
// of their ids.
func (m *Manager) List() []Agent {
	m.views.mu.RLock()
	defer m.views.mu.RUnlock()
	return slices.DeleteFunc(m.views.listLocked(), func(a Agent) bool { return a.Config.Internal })
}

// Timeline is all of an agent's timeline, live or stored.
func (m *Manager) Timeline(id string) (timeline.Timeline, error) {
	m.views.mu.RLock()
	if a := m.views.agents[id]; a != nil {
		defer m.views.mu.RUnlock()
		return a.timeline.Clone(), nil
	}
	m.views.mu.RUnlock()
	if _, err := m.opts.Records.Load(id); err != nil {
		return timeline.Timeline{}, errUnknown(id)
	}
	return m.opts.Timelines.Load(id)
}

// FetchTimeline is a page of an agent's timeline.
func (m *Manager) FetchTimeline(id string, q timeline.Query) (timeline.Page, error) {
	m.views.mu.RLock()
	if a := m.views.agents[id]; a != nil {
		defer m.views.mu.RUnlock()
		return a.timeline.Fetch(q), nil
	}
	m.views.mu.RUnlock()
	tl, err := m.Timeline(id)
	if err != nil {
		return timeline.Page{}, err
	}
	return tl.Fetch(q), nil
}
