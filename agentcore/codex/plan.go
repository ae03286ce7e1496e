package codex

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// implementPlan is what a client is to send after it has approved a plan.
const implementPlan = "Implement the plan."

// planSteps is a plan as a text, from the steps of turn/plan/updated.
func planSteps(raw json.RawMessage) string {
	var p struct{ Plan []struct{ Step string } }
	_ = json.Unmarshal(raw, &p)
	var lines []string
	for _, s := range p.Plan {
		lines = append(lines, "- "+s.Step)
	}
	return strings.Join(lines, "\n")
}

// planning is the turn that is to make a plan, or nil.
func (m *machine) planning(turn string) *turn {
	if t := m.turns.get(turn); t != nil && t.planned {
		return t
	}
	return nil
}

// offerPlan asks whether a plan is to be carried out. Codex waits for no
// answer: approving leaves the plan mode, and tells what to send next.
func (m *machine) offerPlan(t *turn) {
	if t == nil || t.plan == "" {
		return
	}
	id := "plan-" + t.id
	plan := t.plan
	m.planRow(t.id, id, plan, timeline.Running)
	a := &ask{turn: t.id, request: agentcore.PermissionRequest{
		ID: "permission-" + id, Name: "CodexPlan", Kind: "plan", Title: "Implement this plan?", Input: plan, Item: id,
	}}
	a.settled = func(r agentcore.PermissionResponse) any {
		status := timeline.Canceled
		var next any
		if r.Allow {
			status, next = timeline.Completed, implementPlan
			m.settings.plan = false
			m.emit(agentcore.SettingChanged{Name: "plan_mode", Value: "false"})
		}
		m.planRow(t.id, id, plan, status)
		return next
	}
	m.asks = append(m.asks, a)
	m.emit(agentcore.PermissionRequested{Turn: t.id, Request: a.request})
}

func (m *machine) planRow(turn, id, plan string, status timeline.Status) {
	m.emit(agentcore.ItemUpdated{Turn: turn, Item: timeline.Item{
		Kind: timeline.Tool, ID: id, Name: "plan_approval", Status: status, Final: status != timeline.Running,
		Detail: &timeline.Detail{Kind: "plan", Text: plan},
	}})
}

// dismissPlans closes offers that a new prompt has overtaken.
func (m *machine) dismissPlans() {
	for _, a := range slices.Clone(m.asks) {
		if a.request.Kind == "plan" {
			m.resolve(a, agentcore.PermissionResponse{Message: "Dismissed by a new prompt"})
		}
	}
}

func (m *machine) planUpdated(n note) {
	if t := m.planning(n.turn()); t != nil {
		t.plan = planSteps(n.raw)
		return
	}
	var p struct {
		Plan []struct{ Step, Status string }
	}
	_ = json.Unmarshal(n.raw, &p)
	item := timeline.Item{Kind: timeline.Todo, ID: "plan-" + n.turn()}
	for _, s := range p.Plan {
		item.Todos = append(item.Todos, timeline.TodoItem{Text: s.Step, Status: todoStatus(s.Status)})
	}
	m.emit(agentcore.ItemUpdated{Turn: n.turn(), Item: item})
}

func todoStatus(s string) string {
	if s == "inProgress" {
		return "in_progress"
	}
	return s
}
