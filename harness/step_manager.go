package harness

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
)

// call hands a request to the manager and goes on. What it answers is logged
// against the step, and judged when the run is over.
func (e *Env) call(s plan.Step, req agentcore.Request) {
	a := e.agent(s.Agent)
	e.log.Append(a.name, eventlog.CallBegan{Step: s.Index})
	e.subject.begin(a, req, func(_ any, err error) {
		b := eventlog.CallAnswered{Step: s.Index}
		if err != nil {
			b.Error = err.Error()
		}
		e.log.Append(a.name, b)
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
	open := e.openRequests(a)
	switch {
	case nth == 0 && len(open) != 1:
		return fmt.Errorf("%d permission requests are open; name one with nth", len(open))
	case nth > len(open):
		return fmt.Errorf("nth is %d, and %d permission requests are open", nth, len(open))
	}
	id := open[max(0, nth-1)]
	e.responded[a.id+id] = true
	e.call(s, agentcore.RespondRequest{AgentID: a.id, Permission: id, Response: response})
	return nil
}

// openRequests are the agent's permission requests without those that a step has
// answered, whether or not codex has said so yet. They are in the order of the
// calls that they are about, since codex asks for several at once in any order.
func (e *Env) openRequests(a *agent) []string {
	var open []string
	e.log.View(func([]eventlog.Event) {
		calls := e.run.Agent(a.name).Called
		asked := e.run.Agent(a.name).OpenPermissions()
		slices.SortStableFunc(asked, func(x, y eventlog.Permission) int { return cmp.Compare(calls[x.Item], calls[y.Item]) })
		for _, p := range asked {
			if !e.responded[a.id+p.Request] {
				open = append(open, p.Request)
			}
		}
	})
	return open
}

func (e *Env) stepSet(s plan.Step, a *plan.Set) error {
	id := e.agent(s.Agent).id
	for _, set := range []struct{ name, value string }{{"mode", a.Mode}, {"model", a.Model}, {"thinking", a.Thinking}} {
		if set.value != "" {
			e.call(s, agentcore.SetRequest{AgentID: id, Name: set.name, Value: set.value})
		}
	}
	if a.Plan != nil {
		e.call(s, agentcore.SetRequest{AgentID: id, Name: "plan_mode", Value: *a.Plan})
	}
	return nil
}

// stepKill ends the agent's codex at once, and goes on when the manager knows.
func (e *Env) stepKill(ctx context.Context, s plan.Step) error {
	alive := false
	e.log.View(func([]eventlog.Event) { alive = e.run.Agent(s.Agent).Alive })
	if !alive || !e.subject.kill(e.agent(s.Agent)) {
		return fmt.Errorf("agent %s has no process that runs", s.Agent)
	}
	err := e.log.Wait(ctx, func([]eventlog.Event) (bool, error) { return !e.run.Agents[s.Agent].Alive, nil })
	if err != nil {
		return err
	}
	return e.settle(ctx)
}
