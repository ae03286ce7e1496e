package harness

import (
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
)

// newWire puts the scenario's wire rules between the manager and its processes.
func (e *Env) newWire(inner codex.Backend) *codex.Wire {
	w := &codex.Wire{Backend: inner, Observe: e.observeWire, Work: e.worked}
	for _, r := range e.plan.Wire {
		w.Rules = append(w.Rules, wireRule(r, e.agentIDs()))
	}
	return w
}

// onlyBackend hides that the wire keeps time: the guards of a run stand still
// anyway (see clock).
type onlyBackend struct{ codex.Backend }

func wireRule(r plan.WireRule, ids map[string]string) codex.WireRule {
	out := codex.WireRule{
		Agent: ids[r.Agent], Of: r.Of, What: r.What, Nth: r.Nth, Times: r.Times,
		Hold: r.Hold, KeepOrder: r.KeepOrder, Drop: r.Drop, After: r.After, Join: r.Join, Exit: r.Exit,
	}
	if r.Repeat != nil {
		out.Repeat, out.RepeatHold = r.Repeat.Times, r.Repeat.Hold
	}
	if r.Error != nil {
		out.Error = &codex.WireError{Code: r.Error.Code, Message: r.Error.Message}
	}
	return out
}

// agentIDs are the manager's ids by name, known before there is an agent.
func (e *Env) agentIDs() map[string]string {
	ids := map[string]string{}
	for i, a := range e.plan.Agents {
		ids[a.Name] = agentID(i + 1)
	}
	return ids
}

func (e *Env) observeWire(ev codex.WireEvent) {
	e.log.Append(e.nameOf(ev.Agent), eventlog.WireActed{
		Rule: ev.Rule + 1, Action: string(ev.Kind), Gate: ev.Gate, Method: ev.Method, What: ev.What,
	})
}
