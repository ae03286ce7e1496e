package harness

import (
	"context"
	"fmt"
	"os"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/harness/eventlog"
)

// ourManager is codex behind the agent manager of this project: the subject of
// a scenario that names none.
type ourManager struct {
	env     *Env
	client  *codex.Client
	manager *agentcore.Manager
	newID   func(kind string) string
	// What the manager stores outlives it, so that a step can restart it.
	records   agentcore.Memory
	timelines agentcore.MemoryTimelines
}

func newOurManager(e *Env) *ourManager {
	m := &ourManager{env: e, newID: ordinals()}
	m.client = &codex.Client{Backend: onlyBackend{e.wire}, Command: e.command, Clock: e.clock, Hooks: codex.Hooks{Work: e.worked}}
	m.renew()
	return m
}

// renew makes a manager that subscribes the log to itself.
func (m *ourManager) renew() {
	m.manager = agentcore.New(agentcore.Options{
		Providers: map[string]agentcore.Provider{"codex": m.client},
		Clock:     m.env.clock,
		NewID:     m.newID,
		Records:   &m.records,
		Timelines: &m.timelines,
		Limits:    agentcore.Limits{Coalesce: agentcore.CoalesceUnbounded},
		Hooks:     agentcore.Hooks{Work: m.env.worked},
	})
	m.manager.Subscribe(m.env.observeManager, agentcore.SubscribeOptions{})
}

// open creates the agents, one after the other.
func (m *ourManager) open(ctx context.Context) error {
	if err := m.env.serveTools(m); err != nil {
		return err
	}
	for _, a := range m.env.agents.all() {
		req := agentcore.CreateRequest{AgentID: a.id, Title: a.name, Config: a.config(m.env.workspace())}
		if _, err := m.manager.Create(ctx, req); err != nil {
			return fmt.Errorf("agent %s: %w", a.name, err)
		}
	}
	return nil
}

func (m *ourManager) send(a *agent, p prompt, answered func(eventlog.SendAnswered)) {
	policy, err := m.policy(p.behavior)
	if err != nil {
		answered(eventlog.SendAnswered{Error: err.Error()})
		return
	}
	m.manager.BeginFunc(agentcore.SendRequest{
		AgentID: a.id, ClientID: p.id, Policy: policy, Prompt: agentcore.Prompt{Text: p.text, Images: m.env.images(p.images), Attached: m.env.attachments(p.attached)},
	}, func(result any, err error) { answered(sendAnswer(result, err)) })
}

func sendAnswer(result any, err error) eventlog.SendAnswered {
	if err != nil {
		return eventlog.SendAnswered{Error: err.Error()}
	}
	r := result.(agentcore.SendResult)
	return eventlog.SendAnswered{Gives: string(r.Disposition), Turn: r.Turn}
}

// policy is the named behavior, or the scenario's preset, with what it says of
// lost texts.
func (m *ourManager) policy(behavior string) (agentcore.Policy, error) {
	manager := m.env.plan.Manager
	policy, ok := agentcore.PresetNamed(or(behavior, manager.Preset))
	if !ok {
		return policy, fmt.Errorf("no behavior is named %q; there are replace, steer, steer-no-wait and queue", behavior)
	}
	policy.OnLost = agentcore.Lost(manager.OnLost)
	return policy, nil
}

func (m *ourManager) begin(_ *agent, req agentcore.Request, answered func(any, error)) {
	m.manager.BeginFunc(req, answered)
}

func (m *ourManager) thread(a *agent) string {
	if got, ok := m.manager.Get(a.id); ok && got.Handle != nil {
		return got.Handle.SessionID
	}
	return ""
}

func (m *ourManager) kill(a *agent) bool { return m.env.backend.kill(a.id) }

func (m *ourManager) close() error { return m.manager.Shutdown(context.Background()) }

// reload opens the agent's conversation in a new session, whether or not it has
// one now.
func (m *ourManager) reload(ctx context.Context, a *agent) error {
	if _, live := m.manager.Get(a.id); !live {
		_, err := m.manager.Load(ctx, a.id)
		return err
	}
	_, err := m.manager.Reload(ctx, agentcore.ReloadRequest{AgentID: a.id})
	return err
}

func (m *ourManager) end(ctx context.Context, a *agent) error { return m.manager.Close(ctx, a.id) }

// restart puts a new manager over what the old one has stored.
func (m *ourManager) restart(ctx context.Context) error {
	m.env.stopTools()
	m.manager.Shutdown(ctx)
	m.env.backend.closeAll()
	m.env.backend.reopen()
	m.renew()
	if err := m.env.serveTools(m); err != nil {
		return err
	}
	for _, a := range m.env.agents.all() {
		if _, err := m.manager.Load(ctx, a.id); err != nil {
			return fmt.Errorf("agent %s: %w", a.name, err)
		}
	}
	return nil
}

func (m *ourManager) fork(ctx context.Context, from, to *agent) error {
	if m.env.player == nil { // a tape has no files of codex's
		if err := os.CopyFS(to.home.Sessions(), os.DirFS(from.home.Sessions())); err != nil {
			return err
		}
	}
	_, err := m.manager.Create(ctx, agentcore.CreateRequest{
		AgentID: to.id, Title: to.name, Config: to.config(m.env.workspace()),
		Resume: &agentcore.Handle{Provider: "codex", SessionID: m.thread(from), Metadata: map[string]any{codex.CopyOf: true}},
	})
	return err
}
