package agentcore

import (
	"context"
	"errors"
	"fmt"
)

// do begins a request and waits for its result.
func do[T any](ctx context.Context, m *Manager, r Request) (T, error) {
	var none T
	v, err := m.Begin(r).Wait(ctx)
	if err != nil {
		return none, err
	}
	t, _ := v.(T)
	return t, nil
}

// Create makes an agent and opens its session.
func (m *Manager) Create(ctx context.Context, r CreateRequest) (Agent, error) {
	return do[Agent](ctx, m, r)
}

// Load opens an agent that is known and closed; a live one is returned as it is.
func (m *Manager) Load(ctx context.Context, id string) (Agent, error) {
	return do[Agent](ctx, m, LoadRequest{AgentID: id})
}

// Send delivers a prompt; see SendRequest.
func (m *Manager) Send(ctx context.Context, r SendRequest) (SendResult, error) {
	return do[SendResult](ctx, m, r)
}

// Run sends and waits for the end of the turn; see RunRequest.
func (m *Manager) Run(ctx context.Context, r SendRequest) (RunResult, error) {
	return do[RunResult](ctx, m, RunRequest{r})
}

// Withdraw takes back a queued prompt.
func (m *Manager) Withdraw(ctx context.Context, id, clientID string) error {
	_, err := do[any](ctx, m, WithdrawRequest{id, clientID})
	return err
}

// Interrupt ends what is running.
func (m *Manager) Interrupt(ctx context.Context, id string) (InterruptResult, error) {
	return do[InterruptResult](ctx, m, InterruptRequest{id})
}

// Compact asks for a manual compaction.
func (m *Manager) Compact(ctx context.Context, id string) error {
	_, err := do[any](ctx, m, CompactRequest{id})
	return err
}

// Respond answers a permission request.
func (m *Manager) Respond(ctx context.Context, id, permission string, r PermissionResponse) error {
	_, err := do[any](ctx, m, RespondRequest{id, permission, r})
	return err
}

// Set changes a setting and returns the session's notice, if it has one.
func (m *Manager) Set(ctx context.Context, id, name string, value any) (string, error) {
	return do[string](ctx, m, SetRequest{id, name, value})
}

// Raw calls the provider's own protocol.
func (m *Manager) Raw(ctx context.Context, id, method string, params any) (any, error) {
	return m.Begin(RawRequest{id, method, params}).Wait(ctx)
}

// Fork copies an agent's conversation into a new agent.
func (m *Manager) Fork(ctx context.Context, id string) (Agent, error) {
	handle, err := do[Handle](ctx, m, ForkRequest{id})
	if err != nil {
		return Agent{}, err
	}
	parent, ok := m.Get(id)
	if !ok {
		return Agent{}, errNoSession(id)
	}
	return m.Create(ctx, CreateRequest{Config: parent.Config, Resume: &handle})
}

// Reload closes the session and resumes the conversation in a new one.
func (m *Manager) Reload(ctx context.Context, r ReloadRequest) (Agent, error) {
	return do[Agent](ctx, m, r)
}

// Hydrate reads the provider's history into the timeline.
func (m *Manager) Hydrate(ctx context.Context, id string, force bool) error {
	_, err := do[any](ctx, m, HydrateRequest{id, force})
	return err
}

// Close ends an agent's session. The agent can be loaded again.
func (m *Manager) Close(ctx context.Context, id string) error {
	_, err := do[any](ctx, m, CloseRequest{id})
	return err
}

// Archive marks an agent as archived and closes it; its children follow.
func (m *Manager) Archive(ctx context.Context, id string) error {
	_, err := do[any](ctx, m, ArchiveRequest{AgentID: id})
	return err
}

// Unarchive undoes Archive and says whether the agent was archived.
func (m *Manager) Unarchive(ctx context.Context, id string) (bool, error) {
	return do[bool](ctx, m, UnarchiveRequest{id})
}

// Detach makes a child an agent of its own.
func (m *Manager) Detach(ctx context.Context, id string) (Agent, error) {
	return m.Edit(ctx, EditRequest{AgentID: id, Labels: map[string]string{ParentLabel: ""}})
}

// Delete removes a closed agent and all that is kept of it.
func (m *Manager) Delete(ctx context.Context, id string) error {
	_, err := do[any](ctx, m, DeleteRequest{id})
	return err
}

// Edit changes title, labels or attention.
func (m *Manager) Edit(ctx context.Context, r EditRequest) (Agent, error) {
	return do[Agent](ctx, m, r)
}

// WaitForAgent waits until the agent gets somewhere; see WaitFor. A ctx that
// ends takes the waiter away.
func (m *Manager) WaitForAgent(ctx context.Context, id string, what WaitFor) (WaitResult, error) {
	p := m.Begin(WaitRequest{id, what})
	v, err := p.Wait(ctx)
	if err != nil {
		m.abandon(id, p)
		return WaitResult{}, err
	}
	r, _ := v.(WaitResult)
	return r, nil
}

// Abandon takes a WaitRequest's waiter away; unless it was answered before, its
// answer is context.Canceled. Other requests cannot be taken back.
func (m *Manager) Abandon(p *Pending) {
	if p.waits != "" {
		m.abandon(p.waits, p)
	}
}

func (m *Manager) abandon(id string, p *Pending) {
	m.post(input{reg: func() { m.forget(id, p.id) }})
}

func (m *Manager) forget(id string, req ReqID) {
	if a := m.actors[id]; a != nil {
		m.step(a, Forgotten{req})
	}
	m.answer(req, nil, context.Canceled)
}

// Records are the records of all agents that are stored.
func (m *Manager) Records() ([]Record, error) { return m.opts.Records.List() }

// Flush records what is buffered and returns when all is durable.
func (m *Manager) Flush(ctx context.Context) error {
	return m.forAll(ctx, func(id string) Request { return flushRequest{id} })
}

// Shutdown refuses new agents, closes the live ones and returns when all is
// durable, or after Limits.Shutdown. The error names the agents that are not
// closed by then.
func (m *Manager) Shutdown(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := m.opts.Limits.withDefaults().Shutdown
	stop := m.opts.Clock.AfterFunc("shutdown", limit, func() { cancel(saying("not closed within %v", limit)) })
	defer stop()
	return m.forAll(ctx, func(id string) Request { return CloseRequest{id} })
}

// flushRequest asks one agent to record what it buffers. Result: nil, once
// that is durable.
type flushRequest struct{ id string }

func (r flushRequest) agent() string { return r.id }

// forAll puts a request to every live agent and waits for all answers.
func (m *Manager) forAll(ctx context.Context, request func(id string) Request) error {
	ids := make(chan []string, 1)
	m.post(input{reg: func() {
		if _, closes := request("").(CloseRequest); closes {
			m.registry.down = true
		}
		ids <- m.registry.liveIDs()
	}})
	var live []string
	var pending []*Pending
	select {
	case live = <-ids:
		for _, id := range live {
			pending = append(pending, m.Begin(request(id)))
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	var failed error
	for i, p := range pending {
		_, err := p.Wait(ctx)
		switch {
		case err == nil, errors.Is(err, ErrNotFound), errors.Is(err, ErrClosed): // it is gone already
		case ctx.Err() != nil:
			failed = errors.Join(failed, fmt.Errorf("agent %s: %w", live[i], context.Cause(ctx)))
		default:
			failed = errors.Join(failed, err)
		}
	}
	return failed
}
