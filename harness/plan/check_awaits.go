package plan

import (
	"slices"

	"github.com/heldstream/heldstream/mockprovider"
)

// checkAwaits finds waits that no run can meet.
func (b *builder) checkAwaits(t *gateTable) {
	b.checkRuns()
	b.walkSteps(func(s *Step, v *value) {
		a, ok := s.Action.(*Await)
		if !ok {
			return
		}
		if table := v.get("await"); table.kind == isTable && len(table.names) == 0 {
			b.faultAt(inner(v, "await"), "this await waits for nothing; write await = { held = GATE } or { state = \"idle\" }")
		}
		b.checkAwaitCount(t, a, v)
		for class := range a.Requests {
			if !b.answers(class) {
				b.faultAt(inner(v, "await", "requests", class), "no reply answers a %s request; add a [[reply]] to = %q", class, class)
			}
		}
		if a.Compactions != nil && !b.answers("compaction") {
			b.faultAt(inner(v, "await", "compactions"), "no reply answers a compaction; add a [[reply]] to = \"compaction\"")
		}
		if a.Permission != "" && !b.callsTools() {
			b.faultAt(inner(v, "await", "permission"), "no reply calls a tool, so nobody asks for a permission; add call to a reply")
		}
	})
}

// checkRuns finds runs whose turn stands at a gate that only a later step
// would open.
func (b *builder) checkRuns() {
	if gate, all := b.heldTurns(); all && b.plan.Provider.IdleTimeout == 0 && len(b.plan.Wire) == 0 {
		b.walkSteps(func(s *Step, v *value) {
			if a, ok := s.Action.(*Run); ok && a.Ends == "completed" && !slices.ContainsFunc(b.plan.Steps[:s.Index-1], openly) {
				b.faultAt(v.get("run").key, "this run cannot end: every reply to a turn is held, at %s; use send, and release the gate", shortQuote(gate))
			}
		})
	}
}

// heldTurns says whether every reply that could answer a turn is held, and at
// which gate the first is.
func (b *builder) heldTurns() (gate string, all bool) {
	for i, p := range b.plan.Script.Replies {
		switch {
		case !covers(p.To, mockprovider.Turn):
		case !b.replyOK[i] || len(p.Holds) == 0 || len(p.Attempts) > 0:
			return "", false
		default:
			gate, all = orElse(gate, p.Holds[0].Gate), true
		}
	}
	return gate, all
}

// openly says whether a step can let things pass before they are held.
func openly(s Step) bool {
	switch a := s.Action.(type) {
	case *Release:
		return a.Open
	case *Send, *Together, *RPC, nil:
		return true
	}
	return false
}

func (b *builder) checkAwaitCount(t *gateTable, a *Await, v *value) {
	name := orElse(a.Held, a.Reached)
	count := v.get("await", "count")
	if count != nil && name == "" {
		b.faultAt(count.key, "count goes with held or reached; take it out")
	}
	if g := t.find(name); g != nil && a.Count > g.most && b.doubts.sure("reply", "wire") {
		b.faultAt(inner(v, "await", "count"), "the gate %s holds at most %d; take a smaller count, or let more replies hold there", shortQuote(name), g.most)
	}
}

func (b *builder) callsTools() bool {
	for _, p := range b.plan.Script.Replies {
		for _, a := range append(p.Attempts, p) {
			if len(a.Call) > 0 || len(a.Events) > 0 {
				return true
			}
		}
	}
	return !b.doubts.sure("reply") || len(b.plan.Wire) > 0 || b.plan.Subject.Kind != "codex"
}
