package plan

import (
	"slices"
	"strings"
)

// checkAgents wants a definition for every agent that is named.
func (b *builder) checkAgents() {
	known, open := b.agentNames()
	if open || !b.doubts.sure("agent", "step") {
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
func (b *builder) checkRunTimeNames() {
	known, open := b.agentNames()
	if open || !b.doubts.sure("agent", "step") {
		return
	}
	for _, name := range b.tree.names {
		if name != "matrix" && name != "include" {
			eachName(b.tree.members[name], func(v *value, name string) { b.checkRunTimeName(v, name, known) })
		}
	}
}

// eachName calls f for each ${name} in the texts of a value.
func eachName(v *value, f func(v *value, name string)) {
	for rest := v.str; v.kind == isText; {
		_, name, after, found := cutName(rest)
		if !found {
			break
		}
		f(v, name)
		rest = after
	}
	for _, item := range v.items {
		eachName(item, f)
	}
	for _, name := range v.names {
		eachName(v.members[name], f)
	}
}

func (b *builder) checkRunTimeName(v *value, name string, agents []string) {
	agent, _, _ := strings.Cut(strings.TrimPrefix(name, "agent."), ".")
	if strings.HasPrefix(name, "agent.") && runTimeName(name) && !slices.Contains(agents, agent) {
		b.faultAt(v.pos, "%s", noAgent(agent, agents)) // whatever else is wrong in the text
	}
}

func noAgent(name string, known []string) string {
	if near := nearest(name, known); near != "" {
		return unknown("there is no agent "+shortQuote(name), name, known)
	}
	return "there is no agent " + shortQuote(name) + "; add [[agent]] name = " + shortQuote(name)
}
