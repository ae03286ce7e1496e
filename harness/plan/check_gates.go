package plan

import (
	"math"
	"slices"
	"strings"
)

// gate is what is known of a gate.
type gate struct {
	name     string
	pos      Pos // where it is held first
	most     int // how many can ever be held at it
	released bool
}

type gateTable struct{ list []*gate }

func (t *gateTable) find(name string) *gate {
	i := slices.IndexFunc(t.list, func(g *gate) bool { return g.name == name })
	if i < 0 {
		return nil
	}
	return t.list[i]
}

func (t *gateTable) names() []string {
	var names []string
	for _, g := range t.list {
		names = append(names, g.name)
	}
	return names
}

// hold notes that up to times things are held at a gate; 0 is no end.
func (t *gateTable) hold(name string, pos Pos, times int) {
	if name == "" {
		return
	}
	g := t.find(name)
	if g == nil {
		g = &gate{name: name, pos: pos}
		t.list = append(t.list, g)
	}
	if times == 0 || g.most > math.MaxInt32-times {
		times = math.MaxInt32 - g.most
	}
	g.most += times
}

// gates are all gates that something is held at. They are read from the
// tables, so that a slip elsewhere in a reply does not hide its gate.
func (b *builder) gates() *gateTable {
	t := &gateTable{}
	for _, v := range b.replies {
		tries := append([]*value{v}, v.get("attempts").list()...)
		for _, try := range tries {
			for _, g := range gateNames(try.get("hold")) {
				t.hold(g.str, g.pos, timesOf(v))
			}
		}
	}
	for _, v := range b.wireTables {
		for _, g := range slices.Concat(gateNames(v.get("hold")), gateNames(v.get("repeat", "hold"))) {
			t.hold(g.str, g.pos, timesOf(v)*max(1, timesOf(v.get("repeat"))))
		}
	}
	for _, g := range gateNames(b.tree.get("realtime", "hold")) {
		t.hold(g.str, g.pos, 0)
	}
	for _, v := range slices.Concat(b.replies, b.stepTables) {
		eachName(v, func(v *value, name string) {
			if gate, ok := strings.CutPrefix(name, "hold."); ok {
				t.hold(gate, v.pos, 0)
			}
		})
	}
	return t
}

// gateNames are the names in a hold: one, or a table with one, or a list.
func gateNames(v *value) []*value {
	switch {
	case v == nil:
		return nil
	case v.kind == isText:
		return []*value{v}
	case v.kind == isTable:
		return gateNames(v.get("gate"))
	}
	var names []*value
	for _, item := range v.items {
		names = append(names, gateNames(item)...)
	}
	return names
}

// timesOf is the number of uses that a table says; 0 is no end.
func timesOf(v *value) int {
	if n := v.get("times"); n != nil && n.kind == isInt && n.num > 0 && n.num < math.MaxInt32 {
		return int(n.num)
	}
	return 0
}

// checkGates wants a holder for each release and await, and a release for each
// holder that nothing can make go away.
func (b *builder) checkGates(t *gateTable) {
	if b.plan.IsScript() {
		return
	}
	cut, began := b.plan.Provider.IdleTimeout > 0, map[string]bool{} // an impatient codex leaves
	var named []*value
	b.walkSteps(func(s *Step, v *value) {
		cut = cut || s.Action == nil || cuts(s.Action, began[s.Agent])
		began[s.Agent] = true
		for _, g := range gateNames(v.get("release")) {
			named = append(named, g)
			if known := t.find(g.str); known != nil {
				known.released = true
			}
		}
		named = append(named, slices.Concat(gateNames(v.get("await", "held")), gateNames(v.get("await", "reached")))...)
	})
	slips := b.checkNamedGates(t, named)
	for _, g := range t.list {
		if !g.released && !cut && !slips[g.name] && b.doubts.sure("step") {
			b.faultAt(g.pos, "nothing releases the gate %s; add a step release = %s", shortQuote(g.name), shortQuote(g.name))
		}
	}
}

// checkNamedGates wants a holder for each gate that steps name. It returns the
// gates whose own names are slips, since the steps agree on another.
func (b *builder) checkNamedGates(t *gateTable, named []*value) map[string]bool {
	slips := map[string]bool{}
	if b.doubts.names {
		return slips
	}
	sure := b.doubts.sureOfKeys("reply", "wire", "realtime")
	for _, name := range named {
		if name.str == "" || t.find(name.str) != nil {
			continue
		}
		g := t.find(nearest(name.str, t.names()))
		if g == nil && !sure {
			continue
		}
		if g == nil || namesGate(named, g.name) {
			b.fault(name, "%s", noGate(name.str, t.names()))
			continue
		}
		if slips[g.name] {
			continue // told already
		}
		slips[g.name] = true // no step speaks of it: so all that do mean it
		b.faultAt(g.pos, "no step names the gate %s, and nothing is held at %s of line %d; did you mean %s here?",
			shortQuote(g.name), shortQuote(name.str), name.pos.Line, shortQuote(name.str))
	}
	return slips
}

func namesGate(named []*value, gate string) bool {
	return slices.ContainsFunc(named, func(v *value) bool { return v.str == gate })
}

func noGate(name string, known []string) string {
	message := unknown("the gate "+shortQuote(name)+" is never held", name, known)
	if len(known) == 0 {
		message += "; add hold = " + shortQuote(name) + " to a reply"
	}
	return message
}

// cuts says whether a step can make codex leave what it waits for. began says
// that another step came before: the first send meets no turn.
func cuts(a Action, began bool) bool {
	switch a := a.(type) {
	case *Send:
		return began
	case *Run, *Await, *Settle, *Release, *Write, *Edit, *ExpectNow, *Approve, *Answer, *Set, *Compact:
		return false
	case *Deny:
		return a.Interrupt
	case *Together:
		return false // its steps are asked one by one
	}
	return true
}
