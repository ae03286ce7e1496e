package agentcore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/heldstream/heldstream/internal/inbox"
)

// Options are what a Manager works with. Providers must be given; everything
// else has a default.
type Options struct {
	Providers map[string]Provider
	Clock     Clock                    // default: the computer's
	NewID     func(kind string) string // of kind agent, message or epoch; default: random UUIDs
	Records   RecordStore              // default: a new Memory
	Timelines TimelineStore            // default: a new MemoryTimelines
	Limits    Limits
	Policy    Policy // of sends that name none; default: the preset "steer"
	Hooks     Hooks
	Faults    Fault // planted, to test those who look for faults
}

// Hooks are told what happens inside. They must not block.
type Hooks struct {
	// Work counts what is under way: +1 when an input enters the inbox or
	// something begins to be stored, -1 when that and all its effects are done.
	// Timers that run do not count.
	Work func(delta int)
	// Attention is told when an agent that nobody looks after has finished or
	// failed, or asks for a permission: once, until its attention is cleared.
	// Internal agents, children, and a manager that shuts down never call.
	Attention func(agentID string, a Attention)
	// Panicked gets what a subscriber panicked with.
	Panicked func(agentID string, value any)
}

// Manager runs agents. It is a shell around their machines: one input at a
// time, in the order in which they come, whatever agent they are for. All its
// methods are safe for concurrent use; those that wait must not be called by
// subscribers.
type Manager struct {
	opts     Options
	registry *registry
	actors   map[string]*actor // owned by the inbox
	inline   bool              // the stores take no time

	inbox inbox.Inbox[input]

	mu      sync.Mutex // guards the requests
	nextReq ReqID
	pending map[ReqID]*Pending
	writes  sync.WaitGroup

	views views
}

// input is one thing in the inbox: for an actor's machine, or the registry.
type input struct {
	actor *actor
	in    Input
	reg   any // arrival, fetched, wrote, removed, or a func of the shell's own
}

// actor is a machine with what it holds in the world. Only the inbox touches
// it, but for the writer's own fields.
type actor struct {
	id       string
	machine  *Machine
	session  Session
	number   int
	provider Provider
	timers   map[string]func()
	writer   writer
	ended    bool
}

// New makes a manager. It has no goroutine while nothing happens.
func New(o Options) *Manager {
	if o.Clock == nil {
		o.Clock = wallClock{}
	}
	if o.NewID == nil {
		o.NewID = func(string) string { return randomUUID() }
	}
	if o.Records == nil {
		o.Records = &Memory{}
	}
	if o.Timelines == nil {
		o.Timelines = &MemoryTimelines{}
	}
	if o.Policy.Behavior == "" {
		lost := o.Policy.OnLost
		o.Policy = presets["steer"]
		o.Policy.OnLost = lost
	}
	m := &Manager{
		opts: o, registry: newRegistry(sortedKeys(o.Providers)), actors: map[string]*actor{},
		inline:  immediate(o.Records) && immediate(o.Timelines),
		pending: map[ReqID]*Pending{}, views: views{agents: map[string]*view{}},
	}
	m.inbox.Handle = m.handle
	return m
}

// Begin puts a request into the inbox and returns at once. Requests are
// handled in the order of their Begins.
func (m *Manager) Begin(r Request) *Pending { return m.BeginFunc(r, nil) }

// BeginFunc is Begin for who must know of the answer before anything else
// happens: answered, if not nil, is called with it inside the manager, while
// the input that brought it still counts as work. It must not block.
func (m *Manager) BeginFunc(r Request, answered func(result any, err error)) *Pending {
	r = m.complete(r)
	a := arrival{Asked: Asked{Request: r}, fault: folderFault(r)}
	m.mu.Lock()
	m.nextReq++
	a.Req = m.nextReq
	p := newPending(a.Req, r)
	p.answered = answered
	m.pending[a.Req] = p
	m.post(input{reg: a}) // under the lock: in the order of their numbers
	m.mu.Unlock()
	return p
}

// complete gives ids to what has none.
func (m *Manager) complete(r Request) Request {
	switch q := r.(type) {
	case CreateRequest:
		if q.AgentID == "" {
			q.AgentID = m.opts.NewID("agent")
		}
		return q
	case SendRequest:
		return m.named(q)
	case RunRequest:
		q.SendRequest = m.named(q.SendRequest)
		return q
	}
	return r
}

func (m *Manager) named(q SendRequest) SendRequest {
	if strings.TrimSpace(q.ClientID) == "" {
		q.ClientID = m.opts.NewID("message")
	}
	return q
}

// folderFault says what is wrong with the folder of a new agent.
func folderFault(r Request) error {
	c, ok := r.(CreateRequest)
	if !ok {
		return nil
	}
	if !filepath.IsAbs(c.Config.Cwd) {
		return saying("Working directory is not absolute: %s", c.Config.Cwd)
	}
	info, err := os.Stat(c.Config.Cwd)
	switch {
	case err != nil:
		return saying("Working directory does not exist: %s", c.Config.Cwd)
	case !info.IsDir():
		return saying("Working directory is not a directory: %s", c.Config.Cwd)
	}
	return nil
}

func (m *Manager) work(delta int) {
	if m.opts.Hooks.Work != nil {
		m.opts.Hooks.Work(delta)
	}
}

func (m *Manager) post(in input) {
	m.work(+1)
	m.inbox.Put(in)
}

func (m *Manager) handle(in input) {
	defer m.work(-1)
	switch reg := in.reg.(type) {
	case nil:
		m.step(in.actor, in.in)
	case func():
		reg()
	case arrival:
		reg.now = m.opts.Clock.Now()
		m.carryOut(m.registry.step(reg))
	default:
		m.carryOut(m.registry.step(reg))
	}
}

// inBackground runs f in a goroutine that counts as work.
func (m *Manager) inBackground(f func()) {
	m.work(+1)
	m.writes.Add(1)
	go func() {
		defer m.writes.Done()
		defer m.work(-1)
		f()
	}()
}

// answer ends a request.
func (m *Manager) answer(req ReqID, result any, err error) {
	m.mu.Lock()
	p := m.pending[req]
	if p == nil {
		m.mu.Unlock()
		return
	}
	if !p.text || err != nil || p.fate != "" {
		delete(m.pending, req)
	} else {
		p.text = false // answered; the fate is still to come
	}
	p.result, p.err = result, err
	m.mu.Unlock()
	if p.answered != nil {
		p.answered(result, err)
	}
	close(p.done)
}

// tell gives a sender the fate of its text.
func (m *Manager) tell(req ReqID, f Fate) {
	m.mu.Lock()
	p := m.pending[req]
	if p == nil || p.fate != "" {
		m.mu.Unlock()
		return
	}
	p.fate = f
	if !p.text {
		delete(m.pending, req)
	}
	m.mu.Unlock()
	close(p.fated)
}

// stopTimers stops what still runs.
func (a *actor) stopTimers() {
	for _, name := range slices.Sorted(keys(a.timers)) {
		a.timers[name]()
	}
	clear(a.timers)
}
