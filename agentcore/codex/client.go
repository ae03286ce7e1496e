package codex

import (
	"time"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/internal/inbox"
)

// Client opens sessions with codex; it implements agentcore.Provider. Its
// fields are set before the first use and not changed afterwards.
type Client struct {
	// Backend starts the processes, one a session.
	Backend Backend
	// Command says what to start for a session.
	Command func(agentcore.OpenRequest) (Command, error)
	// Clock arms the session's limits; nil: real time.
	Clock agentcore.Clock
	Hooks Hooks
	// Limits bound the calls to codex; zero fields have the defaults of
	// DefaultLimits.
	Limits Limits
	// RolloutDir, when set, names the folder whose rollout files are read for
	// the history of a thread that codex cannot read.
	RolloutDir func(agentcore.OpenRequest) string
}

// Hooks are told what happens between the client and its processes. They are
// called in the order of the happenings of one session, must not block, and
// must not keep the bytes.
type Hooks struct {
	Sent     func(agent string, line []byte) // before it is written
	Received func(agent string, line []byte) // when read, before anything looks at it
	Stderr   func(agent string, text []byte)
	Started  func(agent string)
	Exited   func(agent string, exit Exit)
	// Unknown is told of what codex says that the client does not understand:
	// a method, or "" with what was wrong.
	Unknown func(agent, method, why string)
	// Work counts what the client has taken in (a call, a line, a timer, an
	// exit) and not yet dealt with, effects included: +1 before the hook that
	// reports it, -1 after everything that came of it was handed on.
	Work func(delta int)
}

// Limits are the longest times that codex may take.
type Limits struct {
	Start     time.Duration // the handshake, turn/start, turn/steer, and the start of a turn after its answer
	Interrupt time.Duration // turn/interrupt; then the process is killed
}

// DefaultLimits are the limits of a Client that sets none.
var DefaultLimits = Limits{Start: 90 * time.Second, Interrupt: 2 * time.Second}

// The names of the timers that a session and its processes arm.
const (
	TimerStart     = "start"
	TimerInterrupt = "interrupt"
	TimerClose     = "close"
)

// Timekeeper is implemented by a Backend that can hold messages back: timers
// of a session run on the clock that it gives, so that they can stand still
// while it holds something.
type Timekeeper interface {
	ClockFor(agent string, base agentcore.Clock) agentcore.Clock
}

// Open implements agentcore.Provider.
func (c *Client) Open(req agentcore.OpenRequest, sink agentcore.Sink) agentcore.Session {
	limits := c.Limits
	if limits.Start == 0 {
		limits.Start = DefaultLimits.Start
	}
	if limits.Interrupt == 0 {
		limits.Interrupt = DefaultLimits.Interrupt
	}
	s := &session{
		client: c, req: req, sink: sink,
		machine: newMachine(req, limits),
		timers:  map[int]func(){},
		clock:   c.Clock,
	}
	s.inbox.Handle = s.take
	if s.clock == nil {
		s.clock = realClock{}
	}
	if k, ok := c.Backend.(Timekeeper); ok {
		s.clock = k.ClockFor(req.AgentID, s.clock)
	}
	if c.RolloutDir != nil {
		s.machine.rollouts = c.RolloutDir(req)
	}
	s.post(openInput{}, nil)
	return s
}

// session is the shell around a machine.
type session struct {
	client *Client
	req    agentcore.OpenRequest
	sink   agentcore.Sink
	clock  agentcore.Clock
	inbox  inbox.Inbox[input]

	// Touched only by the inbox.
	machine *machine
	process Process
	timers  map[int]func()
}

// Do implements agentcore.Session.
func (s *session) Do(c agentcore.Call) { s.post(callInput{c}, nil) }

// post puts something into the inbox; report is called once it is counted as
// work and before it is in.
func (s *session) post(in input, report func()) {
	s.work(+1)
	if report != nil {
		report()
	}
	s.inbox.Put(in)
}

func (s *session) take(in input) {
	for _, e := range s.machine.step(in) {
		s.carryOut(e)
	}
	s.work(-1)
}

func (s *session) carryOut(e effect) {
	switch e := e.(type) {
	case startEffect:
		s.start(e.gen)
	case writeEffect:
		if h := s.client.Hooks.Sent; h != nil {
			h(s.req.AgentID, e.line)
		}
		s.process.Write(e.line)
	case emitEffect:
		s.sink(e.event)
	case armEffect:
		id := e.timer
		s.timers[id] = s.clock.AfterFunc(e.name, e.after, func() { s.post(timerInput{id}, nil) })
	case disarmEffect:
		if stop := s.timers[e.timer]; stop != nil {
			stop()
			delete(s.timers, e.timer)
		}
	case closeEffect:
		s.process.Close()
	case killEffect:
		s.process.Kill()
	case unknownEffect:
		if h := s.client.Hooks.Unknown; h != nil {
			h(s.req.AgentID, e.method, e.why)
		}
	}
}

// start starts a process; gen tells its doings from those of an earlier one.
func (s *session) start(gen int) {
	agent, hooks := s.req.AgentID, s.client.Hooks
	fail := func(err error) {
		s.process = noProcess{}
		s.post(exitInput{gen, Exit{Code: -1, Err: err, NoStart: true}}, nil)
	}
	cmd, err := s.client.Command(s.req)
	if err != nil {
		fail(err)
		return
	}
	if hooks.Started != nil {
		hooks.Started(agent)
	}
	process, err := s.client.Backend.Start(cmd, Callbacks{
		Line: func(line []byte) {
			own := append([]byte(nil), line...)
			s.post(lineInput{gen, own}, func() {
				if hooks.Received != nil {
					hooks.Received(agent, own)
				}
			})
		},
		Stderr: func(text []byte) {
			if hooks.Stderr != nil {
				hooks.Stderr(agent, text)
			}
		},
		Exit: func(e Exit) {
			s.post(exitInput{gen, e}, func() {
				if hooks.Exited != nil {
					hooks.Exited(agent, e)
				}
			})
		},
	})
	if err != nil {
		fail(err)
		return
	}
	s.process = process
}

// noProcess stands in for one that could not be started.
type noProcess struct{}

func (noProcess) Write([]byte) {}
func (noProcess) Close()       {}
func (noProcess) Kill()        {}

func (s *session) work(delta int) {
	if h := s.client.Hooks.Work; h != nil {
		h(delta)
	}
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) AfterFunc(_ string, d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}
