package plan

import (
	"slices"

	"github.com/heldstream/heldstream/mockprovider"
)

// agents wants names of their own, and puts main first where the file has it at
// no place and needs it: each agent costs a codex.
func (b *builder) agents() {
	p := b.plan
	seen := map[string]bool{}
	for _, a := range p.Agents {
		if seen[a.Name] {
			b.faultAt(a.Pos, "there are two agents %q; give one another name", a.Name)
		}
		seen[a.Name] = true
	}
	if !seen[mainAgent] && (len(p.Agents) == 0 || b.needsMain()) {
		p.Agents = append([]Agent{{Pos: Pos{b.file.Name, 1, 1}, Name: mainAgent}}, p.Agents...)
	}
}

// mainAgent is whose a step is that does not say.
const mainAgent = "main"

func (b *builder) needsMain() bool {
	p := b.plan
	needs := slices.ContainsFunc(p.Expect, func(e Expectation) bool { return e.Agent == mainAgent }) ||
		slices.ContainsFunc(p.Wire, func(r WireRule) bool { return r.Agent == mainAgent }) ||
		slices.ContainsFunc(p.Script.Replies, func(r mockprovider.Reply) bool { return r.Match.Agent == mainAgent }) ||
		slices.ContainsFunc(p.Codex.Rollouts, func(o Rollout) bool { return orElse(o.Agent, mainAgent) == mainAgent })
	b.walkSteps(func(s *Step, _ *value) { needs = needs || s.agent() == mainAgent })
	return needs
}

// agent is the agent that a step is for, "" for one that is for none.
func (s Step) agent() string {
	switch a := s.Action.(type) {
	case nil, *Settle, *Exec, *Write, *Expire, *ExpectNow, *Together:
		return ""
	case *Await:
		return a.Agent
	case *Release:
		return a.Agent
	case *Edit:
		if !a.Rollout {
			return ""
		}
	}
	return s.Agent
}
