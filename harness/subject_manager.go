package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/harness/codexshim"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/internal/proc"
)

// foreign is the subject { manager = […] }: somebody else's agent manager, which
// speaks a JSON line a call on stdio. doc/managers.md has every message.
//
// It counts as at work from whatever it is told or does until a sync that it has
// answered, after which its codexes' inputs were read out, without anything new
// in between.
type foreign struct {
	env   *Env
	shims *shims
	child *proc.Child

	mu      sync.Mutex
	last    int
	calls   map[int]func(managerAnswer)
	codexes []*shimConn
	rows    map[*agent]map[string]int // by the manager's id of a row
	seq     map[*agent]int
	busy    bool // a round of sync and flush is under way
	dirty   bool // something happened since it began
	waits   map[*shimConn]bool
	gone    bool
}

// managerAnswer is the answer to a call.
type managerAnswer struct {
	Error string `json:"error"`
	Gives string `json:"gives"`
	Turn  string `json:"turn"`
}

func newForeign(e *Env) *foreign {
	return &foreign{env: e, calls: map[int]func(managerAnswer){}, rows: map[*agent]map[string]int{}, seq: map[*agent]int{}, waits: map[*shimConn]bool{}}
}

func (m *foreign) open(ctx context.Context) error {
	s, bin, err := openShims(m.env, m)
	m.shims = s
	if err != nil {
		return err
	}
	argv, err := argv(m.env.plan)
	if err != nil {
		return err
	}
	first := m.env.agents.all()[0]
	m.child, err = proc.Start(proc.Spec{
		Path: argv[0], Args: argv[1:], Dir: m.env.workspace(), Mark: m.env.work.Mark(),
		Env: with(m.env.subjectEnviron(first), map[string]string{"CODEX_BIN": bin}),
	}, proc.Handlers{Line: m.line, Stderr: m.stderr, Exit: m.exited})
	if err != nil {
		return err
	}
	for _, a := range m.env.agents.all() {
		if err := m.create(ctx, a, bin); err != nil {
			return fmt.Errorf("agent %s: %w", a.name, err)
		}
	}
	return nil
}

func (m *foreign) create(ctx context.Context, a *agent, bin string) error {
	var done bool
	var failed error
	m.call(a, "create", map[string]any{
		"cwd": m.env.workspace(), "codex_bin": bin, "codex_home": a.home.Dir(), "base_url": a.home.Provider.BaseURL,
		"model": a.Model, "mode": a.Mode, "thinking": a.Thinking, "system_prompt": a.SystemPrompt,
	}, func(x managerAnswer) {
		m.env.log.Update(func() { done, failed = true, x.err() })
	})
	return m.env.log.Wait(ctx, func([]eventlog.Event) (bool, error) { return done, failed })
}

func (x managerAnswer) err() error {
	if x.Error == "" {
		return nil
	}
	return fmt.Errorf("%s", x.Error)
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
	for k, v := range args {
		line[k] = v
	}
	text, err := json.Marshal(line)
	if err != nil {
		panic("harness: " + err.Error()) // texts, numbers and lists only
	}
	m.calls[m.last] = answered
	m.child.Write(text)
}

// moved says that the manager was told something, or did something.
func (m *foreign) moved() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.movedLocked()
}

func (m *foreign) movedLocked() {
	m.dirty = true
	if m.busy || m.gone {
		return
	}
	m.busy = true
	m.env.worked(+1)
	m.syncLocked()
}

// syncLocked begins a round.
func (m *foreign) syncLocked() {
	m.dirty = false
	read := []map[string]any{} // a list in any case
	for _, c := range m.codexes {
		read = append(read, map[string]any{"agent": c.agent.name, "pid": c.pid, "lines": c.lines, "exited": c.gone})
	}
	m.callLocked("", "sync", map[string]any{"codex": read}, func(managerAnswer) { m.flush() })
}

// flush has the shims pass on what the manager has written before its answer.
func (m *foreign) flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.codexes {
		if !c.gone {
			m.waits[c] = true
			m.shims.served.Go(func() { c.send(codexshim.Down{Flush: 1}) })
		}
	}
	m.roundLocked()
}

func (m *foreign) flushed(c *shimConn, _ int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.waits, c)
	m.roundLocked()
}

// roundLocked ends the round once all have flushed.
func (m *foreign) roundLocked() {
	switch {
	case len(m.waits) > 0 || !m.busy || m.gone:
	case m.dirty:
		m.syncLocked()
	default:
		m.busy = false
		m.env.worked(-1)
	}
}

// add takes a codex of an agent in, instead of its last one.
func (m *foreign) add(c *shimConn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, old := range m.codexes {
		if old.agent == c.agent {
			m.codexes[i] = c
			return
		}
	}
	m.codexes = append(m.codexes, c)
}

func (m *foreign) fromCodex(c *shimConn, line []byte) {
	m.mu.Lock()
	c.lines++
	m.movedLocked()
	m.mu.Unlock()
	c.send(codexshim.Down{Out: append(append([]byte{}, line...), '\n')})
}

func (m *foreign) codexExited(c *shimConn, x codex.Exit) {
	m.mu.Lock()
	c.gone = true
	delete(m.waits, c)
	m.movedLocked()
	m.roundLocked()
	m.mu.Unlock()
	code := x.Code
	c.send(codexshim.Down{Exit: &code})
}

func (m *foreign) stderr(text []byte) {
	m.env.log.Append(m.env.agents.all()[0].name, eventlog.Stderr{Text: string(text)})
}

// exited: a manager that is gone answers nothing more, and holds nothing up.
func (m *foreign) exited(x proc.Exit) {
	m.mu.Lock()
	open, busy := m.calls, m.busy
	m.calls, m.gone, m.busy = map[int]func(managerAnswer){}, true, false
	m.mu.Unlock()
	for _, answered := range open {
		answered(managerAnswer{Error: "the manager has exited: " + lastLines(x.Stderr, 3)})
	}
	if busy {
		m.env.worked(-1)
	}
}

func (m *foreign) send(a *agent, p prompt, answered func(eventlog.SendAnswered)) {
	m.call(a, "send", map[string]any{"message": p.id, "text": p.text, "behavior": p.behavior}, func(x managerAnswer) {
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

func (m *foreign) thread(a *agent) string { return lastThread(m.env, a) }

func (m *foreign) kill(a *agent) bool { return m.env.backend.kill(a.id) }

// close ends the manager, and then whatever it had at codex.
func (m *foreign) close() error {
	if m.child != nil {
		m.child.Kill()
		<-m.child.Done()
	}
	m.env.backend.closeAll()
	if m.shims != nil {
		m.shims.close()
	}
	return nil
}
