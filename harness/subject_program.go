package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/internal/proc"
)

// programs are the subjects "exec" and { command = […] }: each prompt starts a
// program, and its end is the end of the turn.
type programs struct {
	env  *Env
	kind programKind

	mu      sync.Mutex
	turns   int
	rows    map[*agent]int
	running map[*agent]*programTurn
	ended   sync.WaitGroup
}

// programKind is how a prompt becomes a program, and what its output says.
type programKind interface {
	spec(a *agent, p prompt) (proc.Spec, error)
	// input is what is written to standard input before it is closed.
	input(p prompt) []byte
	line(t *programTurn, line []byte)
}

// programTurn is one program that runs.
type programTurn struct {
	subject *programs
	agent   *agent
	id      string
	child   *proc.Child
	said    bounded
	fault   string // what its output says went wrong
	usage   map[string]int64
}

func newPrograms(e *Env, kind programKind) *programs {
	return &programs{env: e, kind: kind, rows: map[*agent]int{}, running: map[*agent]*programTurn{}}
}

// open has nothing to start yet: an agent without a program is idle.
func (s *programs) open(context.Context) error {
	for _, a := range s.env.agents.all() {
		s.env.log.Update(func() { s.env.run.Agent(a.name).Traits.Program = true })
		s.state(a, "idle")
	}
	return nil
}

func (s *programs) state(a *agent, lifecycle string) {
	s.env.log.Append(a.name, eventlog.State{Lifecycle: lifecycle})
}

var errOneAtATime = errors.New("the program still runs; this subject takes one prompt at a time")

func (s *programs) send(a *agent, p prompt, answered func(eventlog.SendAnswered)) {
	t, err := s.start(a, p)
	if err != nil {
		answered(eventlog.SendAnswered{Error: err.Error()})
		return
	}
	answered(eventlog.SendAnswered{Gives: string(agentcore.Started), Turn: t.id})
}

// start tells of the turn before the program can tell of itself.
func (s *programs) start(a *agent, p prompt) (*programTurn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[a] != nil {
		return nil, errOneAtATime
	}
	spec, err := s.kind.spec(a, p)
	if err != nil {
		return nil, err
	}
	s.turns++
	t := &programTurn{subject: s, agent: a, said: bounded{left: mostStderr}, id: fmt.Sprintf("turn-%d", s.turns)}
	s.env.log.Append(a.name, eventlog.Started{})
	s.env.log.Append(a.name, eventlog.Turn{ID: t.id, Status: "started"})
	s.state(a, "running")
	s.rowLocked(t, eventlog.Row{Kind: "user", Text: p.text})
	s.ended.Add(1)
	t.child, err = proc.Start(spec, proc.Handlers{Line: t.line, Stderr: t.stderr, Exit: t.exited})
	if err != nil {
		t.end(proc.Exit{Code: -1, Err: err})
		return t, nil
	}
	s.running[a] = t
	if in := s.kind.input(p); in != nil {
		t.child.Write(in)
	}
	t.child.Close(proc.Ladder{After: never})
	return t, nil
}

// never is a ladder's clock that stands still: closing is then only the end of
// the input.
func never(time.Duration, func()) (stop func()) { return func() {} }

func (t *programTurn) line(line []byte) { t.subject.kind.line(t, line) }

func (t *programTurn) stderr(text []byte) {
	if said := t.said.take(text); said != "" {
		t.subject.env.log.Append(t.agent.name, eventlog.Stderr{Text: said})
	}
}

func (t *programTurn) exited(x proc.Exit) {
	s := t.subject
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, t.agent)
	t.end(x)
}

// end tells of the turn's end before the program's, so that nothing settles in
// between. The subject is locked.
func (t *programTurn) end(x proc.Exit) {
	s := t.subject
	defer s.ended.Done()
	end := eventlog.Turn{ID: t.id, Status: "completed", Usage: t.usage}
	lifecycle := "idle"
	if x.Code != 0 {
		end.Status, end.Error, lifecycle = "failed", t.why(x), "error"
	}
	s.env.log.Append(t.agent.name, end)
	s.state(t.agent, lifecycle)
	s.env.log.Append(t.agent.name, programExit(x))
}

// why is the reason of a failure: what its output said, or the end of what it
// wrote to standard error.
func (t *programTurn) why(x proc.Exit) string {
	switch {
	case t.fault != "":
		return t.fault
	case x.Err != nil:
		return x.Err.Error()
	case strings.TrimSpace(x.Stderr) != "":
		return lastLines(x.Stderr, 5)
	case x.Signal != "":
		return "signal " + x.Signal
	}
	return fmt.Sprintf("exit code %d", x.Code)
}

func programExit(x proc.Exit) eventlog.Exited {
	return eventlog.Exited{Code: x.Code, Signal: x.Signal, Text: strings.TrimSpace(x.Stderr)}
}

// row adds a row to the agent's timeline.
func (t *programTurn) row(row eventlog.Row) {
	t.subject.mu.Lock()
	defer t.subject.mu.Unlock()
	t.subject.rowLocked(t, row)
}

func (s *programs) rowLocked(t *programTurn, row eventlog.Row) {
	s.rows[t.agent]++
	row.Seq, row.Turn = s.rows[t.agent], t.id
	s.env.log.Append(t.agent.name, row)
}

func (s *programs) begin(_ *agent, _ agentcore.Request, answered func(any, error)) {
	answered(nil, errNotTaken)
}

func (s *programs) thread(a *agent) string { return lastThread(s.env, a) }

func (s *programs) kill(a *agent) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.running[a]
	if t != nil {
		t.child.Kill()
	}
	return t != nil
}

func (s *programs) close() error {
	s.mu.Lock()
	for _, t := range s.running {
		t.child.Kill()
	}
	s.mu.Unlock()
	s.ended.Wait()
	return nil
}

// with returns an environment with some variables set anew.
func with(env []string, more map[string]string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		_, set := more[name]
		return set
	})
	for name, value := range more {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}
