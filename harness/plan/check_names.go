package plan

import (
	"slices"
	"strings"
)

// checkAgents wants a definition for every agent that is named.
func (b *builder) checkAgents() {
	known, open := b.agentNames()
	if open {
		return
	}
	want := func(name string, pos Pos) {
		if name != "" && !slices.Contains(known, name) {
			b.faultAt(pos, "%s", noAgent(name, known))
		}
	}
	b.walkSteps(func(_ *Step, v *value) {
		for _, v := range []*value{v.get("agent"), v.get("await", "agent"), v.get("release", "agent")} {
			if v != nil {
				want(v.str, v.pos)
			}
		}
	})
	for i, p := range b.plan.Script.Replies {
		want(p.Match.Agent, inner(b.replies[i], "match", "agent"))
	}
	for i, w := range b.plan.Wire {
		want(w.Agent, inner(b.wireTables[i], "agent"))
	}
	for _, e := range b.plan.Expect {
		want(e.Agent, e.Pos)
	}
	for _, o := range b.plan.Codex.Rollouts {
		want(o.Agent, o.Pos)
	}
}

// agentNames are the agents of the file and of its fork steps; open says that
// a tool can make others.
func (b *builder) agentNames() (known []string, open bool) {
	for _, a := range b.plan.Agents {
		known = append(known, a.Name)
	}
	b.walkSteps(func(s *Step, _ *value) {
		if f, ok := s.Action.(*Fork); ok {
			known = append(known, f.As)
		}
	})
	for _, p := range b.plan.Script.Replies {
		for _, c := range p.Call {
			open = open || strings.Contains(c.Tool, "create_agent")
		}
	}
	return known, open || b.plan.Subject.Kind == "manager"
}

// checkRunTimeNames looks at the names in texts that a run will fill in.
func (b *builder) checkRunTimeNames(t *gateTable) {
	known, open := b.agentNames()
	var walk func(v *value)
	walk = func(v *value) {
		for rest := v.str; v.kind == isText; {
			_, name, after, found := cutName(rest)
			if !found {
				break
			}
			b.checkRunTimeName(t, v, name, known, open)
			rest = after
		}
		for _, item := range v.items {
			walk(item)
		}
		for _, name := range v.names {
			walk(v.members[name])
		}
	}
	for _, name := range b.tree.names {
		if name != "matrix" && name != "include" {
			walk(b.tree.members[name])
		}
	}
}

func (b *builder) checkRunTimeName(t *gateTable, v *value, name string, agents []string, open bool) {
	head, tail, _ := strings.Cut(name, ".")
	switch head {
	case "agent":
		agent, _, _ := strings.Cut(tail, ".")
		if runTimeName(name) && !open && !slices.Contains(agents, agent) {
			b.fault(v, "%s", noAgent(agent, agents))
		}
	case "hold":
		if runTimeName(name) && t.find(tail) == nil {
			b.fault(v, "%s", unknown(quoted("the gate %s is never held", tail), tail, t.names()))
		}
	}
}

func noAgent(name string, known []string) string {
	if near := nearest(name, known); near != "" {
		return unknown("there is no agent "+shortQuote(name), name, known)
	}
	return "there is no agent " + shortQuote(name) + "; add [[agent]] name = " + shortQuote(name)
}
