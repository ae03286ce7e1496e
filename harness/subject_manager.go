package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/report"
	"github.com/heldstream/heldstream/internal/proc"
)

// foreign is the subject { manager = […] }: somebody else's agent manager, which
// speaks a JSON line a call on stdio. doc/managers.md has every message.
type foreign struct {
	env   *Env
	name  string // of the manager, for people
	bin   string // what it starts in place of codex
	shims *shims
	child managerProcess
	at    outputLine
	said  bounded // what it writes to standard error

	mu       sync.Mutex
	last     int
	calls    map[int]*openCall
	codexes  []*shimConn
	rows     map[*agent]map[string]int // by the manager's id of a row
	seq      map[*agent]int
	busy     bool               // a round is under way: a sync, and then a flush
	dirty    bool               // something happened since it began
	waits    map[*shimConn]bool // to have flushed
	flushing bool
	closing  bool
	gone     bool
}

// managerProcess is what runs the manager: a child process, or a function.
type managerProcess interface {
	Write(line []byte) // does not block
	Close(proc.Ladder)
	Kill()
	Done() <-chan struct{}
}

// openCall is a call that has no answer yet.
type openCall struct {
	name, agent string
	answered    func(managerAnswer)
}

// managerAnswer is the answer to a call.
type managerAnswer struct {
	Error string `json:"error"`
	Gives string `json:"gives"`
	Turn  string `json:"turn"`
}

func (x managerAnswer) err() error {
	if x.Error == "" {
		return nil
	}
	return errors.New(x.Error)
}

func newForeign(e *Env) *foreign {
	return &foreign{
		env: e, name: nameOf(e), said: bounded{left: mostStderr},
		calls: map[int]*openCall{}, rows: map[*agent]map[string]int{}, seq: map[*agent]int{}, waits: map[*shimConn]bool{},
	}
}

// nameOf is the manager as one would type it.
func nameOf(e *Env) string {
	if e.serve != nil {
		return "in this process"
	}
	return report.ShellWords(e.plan.Subject.Command)
}

// open starts the manager. Its first call is a sync of nothing, which tells at
// once whether it knows what that is.
func (m *foreign) open(ctx context.Context) error {
	var err error
	if m.shims, m.bin, err = openShims(m.env, m); err != nil {
		return err
	}
	m.mu.Lock() // its first line waits until the child is known
	m.child, err = m.start()
	m.mu.Unlock()
	if err != nil {
		return fmt.Errorf("the manager %s: %w", m.name, err)
	}
	m.moved()
	for _, a := range m.env.agents.all() {
		if err := m.conversation(ctx, a, "create", nil); err != nil {
			return err
		}
	}
	return nil
}

func (m *foreign) start() (managerProcess, error) {
	handlers := proc.Handlers{Line: m.line, Stderr: m.stderr, Exit: m.exited}
	if m.env.serve != nil {
		return startInside(m.env.serve, handlers), nil
	}
	argv, err := argv(m.env.plan)
	if err != nil {
		return nil, err
	}
	first := m.env.agents.all()[0]
	child, err := proc.Start(proc.Spec{
		Path: argv[0], Args: argv[1:], Dir: m.env.workspace(), Mark: m.env.work.Mark(), MaxLine: longestLine,
		Env: with(m.env.subjectEnviron(first), map[string]string{"CODEX_BIN": m.bin}),
	}, handlers)
	if err != nil {
		return nil, err // and not a *proc.Child that is nil
	}
	return child, nil
}

// conversation has the agent's conversation opened and waits for the answer.
func (m *foreign) conversation(ctx context.Context, a *agent, name string, more map[string]any) error {
	args := map[string]any{
		"cwd": m.env.workspace(), "codex_bin": m.bin, "codex_home": a.home.Dir(), "base_url": a.home.Provider.BaseURL,
		"model": a.Model, "mode": a.Mode, "thinking": a.Thinking, "system_prompt": a.SystemPrompt,
	}
	maps.Copy(args, more)
	var done bool
	var failed error
	m.call(a, name, args, func(x managerAnswer) {
		m.env.log.Update(func() { done, failed = true, x.err() })
	})
	err := m.env.log.Wait(ctx, func([]eventlog.Event) (bool, error) { return done, m.env.stalled() })
	if err == nil && failed != nil {
		err = fmt.Errorf("agent %s: the manager %s: %s: %w", a.name, m.name, name, failed)
	}
	return err
}

// call writes a call; the answer comes by its id.
func (m *foreign) call(a *agent, name string, args map[string]any, answered func(managerAnswer)) {
	m.mu.Lock()
	if m.gone {
		m.mu.Unlock()
		answered(managerAnswer{Error: "the manager has exited"})
		return
	}
	m.callLocked(a.name, name, args, answered)
	m.movedLocked()
	m.mu.Unlock()
}

func (m *foreign) callLocked(agent, name string, args map[string]any, answered func(managerAnswer)) {
	m.last++
	line := map[string]any{"id": m.last, "call": name}
	if agent != "" {
		line["agent"] = agent
	}
	maps.Copy(line, args)
	text, err := json.Marshal(line)
	if err != nil {
		panic("harness: " + err.Error()) // texts, numbers and lists only
	}
	m.calls[m.last] = &openCall{name, agent, answered}
	m.child.Write(text)
}

func (m *foreign) send(a *agent, p prompt, answered func(eventlog.SendAnswered)) {
	args := map[string]any{"message": p.id, "text": p.text, "behavior": p.behavior}
	if len(p.images) > 0 {
		args["images"] = m.env.images(p.images)
	}
	if len(p.attached) > 0 {
		args["attached"] = m.env.attachments(p.attached)
	}
	m.call(a, "send", args, func(x managerAnswer) {
		answered(eventlog.SendAnswered{Gives: x.Gives, Turn: x.Turn, Error: x.Error})
	})
}

func (m *foreign) begin(a *agent, req agentcore.Request, answered func(any, error)) {
	done := func(x managerAnswer) { answered(nil, x.err()) }
	switch r := req.(type) {
	case agentcore.InterruptRequest:
		m.call(a, "interrupt", nil, done)
	case agentcore.CompactRequest:
		m.call(a, "compact", nil, done)
	case agentcore.RespondRequest:
		m.call(a, "respond", map[string]any{"permission": r.Permission, "allow": r.Response.Allow, "text": r.Response.Message, "answers": r.Response.Answers}, done)
	case agentcore.SetRequest:
		m.call(a, "set", map[string]any{"name": r.Name, "value": r.Value}, done)
	default:
		answered(nil, errNotTaken)
	}
}

// reload has the manager go on with the agent's conversation in a new codex.
func (m *foreign) reload(ctx context.Context, a *agent) error {
	thread := m.thread(a)
	if thread == "" {
		return errors.New("the agent has no conversation to go on with yet")
	}
	return m.conversation(ctx, a, "resume", map[string]any{"thread": thread})
}

func (m *foreign) thread(a *agent) string { return lastThread(m.env, a) }

func (m *foreign) kill(a *agent) bool { return m.env.backend.kill(a.id) }
