package harness

import (
	"context"
	"fmt"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
)

// call hands a request to the manager and goes on. What it answers is logged
// against the step, and judged when the run is over.
func (e *Env) call(s plan.Step, req agentcore.Request) {
	name := e.agent(s.Agent).name
	e.log.Append(name, eventlog.CallBegan{Step: s.Index})
	e.manager.BeginFunc(req, func(_ any, err error) {
		b := eventlog.CallAnswered{Step: s.Index}
		if err != nil {
			b.Error = err.Error()
		}
		e.log.Append(name, b)
	})
}

func (e *Env) stepInterrupt(s plan.Step) error {
	e.call(s, agentcore.InterruptRequest{AgentID: e.agent(s.Agent).id})
	return nil
}

func (e *Env) stepCompact(s plan.Step) error {
	e.call(s, agentcore.CompactRequest{AgentID: e.agent(s.Agent).id})
	return nil
}

func allow() agentcore.PermissionResponse { return agentcore.PermissionResponse{Allow: true} }

func deny(a *plan.Deny) agentcore.PermissionResponse {
	return agentcore.PermissionResponse{Message: a.Message, Interrupt: a.Interrupt}
}

func answers(a *plan.Answer) agentcore.PermissionResponse {
	return agentcore.PermissionResponse{Allow: true, Answers: a.Answers}
}

// stepRespond answers the only open permission request, or the nth.
func (e *Env) stepRespond(s plan.Step, nth int, response agentcore.PermissionResponse) error {
	a := e.agent(s.Agent)
	got, _ := e.manager.Get(a.id)
	open := got.Permissions
	switch {
	case nth == 0 && len(open) != 1:
		return fmt.Errorf("%d permission requests are open; name one with nth", len(open))
	case nth > len(open):
		return fmt.Errorf("nth is %d, and %d permission requests are open", nth, len(open))
	}
	e.call(s, agentcore.RespondRequest{AgentID: a.id, Permission: open[max(0, nth-1)].ID, Response: response})
	return nil
}

func (e *Env) stepSet(s plan.Step, a *plan.Set) error {
	id := e.agent(s.Agent).id
	for _, set := range []struct{ name, value string }{{"mode", a.Mode}, {"model", a.Model}, {"thinking", a.Thinking}} {
		if set.value != "" {
			e.call(s, agentcore.SetRequest{AgentID: id, Name: set.name, Value: set.value})
		}
	}
	return nil
}

// stepKill ends the agent's codex at once, and goes on when the manager knows.
func (e *Env) stepKill(ctx context.Context, s plan.Step) error {
	child := e.backend.of(e.agent(s.Agent).id)
	if child == nil {
		return fmt.Errorf("agent %s has no codex that runs", s.Agent)
	}
	child.Kill()
	err := e.log.Wait(ctx, func([]eventlog.Event) (bool, error) { return !e.run.Agents[s.Agent].Alive, nil })
	if err != nil {
		return err
	}
	return e.settle(ctx)
}
