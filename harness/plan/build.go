package plan

import (
	"slices"

	"github.com/heldstream/heldstream/mockprovider"
)

// excluded says whether the file leaves this variant out.
func (b *builder) excluded() bool {
	out := false
	for _, v := range b.tables("exclude") {
		excludeKind().read(&b.reader, v, &struct{}{})
		if list := readWhen(&b.reader, v); len(list) > 0 && b.applies(list) {
			out = true
		}
	}
	return out
}

func (b *builder) applies(list []condition) bool {
	ok, codex := selects(list, b.variant, b.plan.Axes)
	return ok && anyVersion(codex, b.plan.Axes.Codex)
}

// tables are the elements of a list of tables.
func (b *builder) tables(name string) []*value {
	v := b.tree.get(name)
	if v == nil {
		return nil
	}
	if v.kind != isArray {
		b.fault(v, "%s is a list of tables; write [[%s]]", name, name)
		return nil
	}
	return slices.DeleteFunc(slices.Clone(v.items), func(item *value) bool {
		if item.kind != isTable {
			wrong(&b.reader, item, "a table; write [["+name+"]]")
		}
		return item.kind != isTable
	})
}

// selected are the tables whose when selects this variant.
func (b *builder) selected(name string) []*value {
	return slices.DeleteFunc(b.tables(name), func(v *value) bool {
		list := readWhen(&b.reader, v)
		return len(list) > 0 && !b.applies(list)
	})
}

func (b *builder) script(d *draft) {
	p := b.plan
	p.Script = &mockprovider.Script{
		Meter: d.provided.meter, Window: d.provided.window, Models: d.provided.models,
		Upgrade: d.provided.upgrade, Realtime: d.realtime,
	}
	p.Script.CompactPrompt, _ = p.Codex.Config["compact_prompt"].(string)
	for _, v := range b.selected("reply") {
		whole := overlayAttempts(v)
		got, ok := readReply(&b.reader, whole)
		b.replyOK = append(b.replyOK, ok && !v.broken)
		p.Script.Replies = append(p.Script.Replies, got)
		b.replies = append(b.replies, whole)
	}
	for _, v := range b.selected("wire") {
		rule, _ := readWireRule(&b.reader, v)
		p.Wire = append(p.Wire, rule)
		b.wireTables = append(b.wireTables, v)
	}
}

func (b *builder) steps() {
	all := actions()
	for _, v := range b.selected("step") {
		s, ok := readStep(&b.reader, v, all)
		b.stepOK = append(b.stepOK, ok && !v.broken)
		s.Index = len(b.plan.Steps) + 1
		b.plan.Steps = append(b.plan.Steps, completed(s))
		b.stepTables = append(b.stepTables, v)
	}
}

// completed fills in what a step leaves out.
func completed(s Step) Step {
	switch a := s.Action.(type) {
	case *Release:
		a.Agent = orElse(a.Agent, s.Agent)
	case *Await:
		a.Agent = orElse(a.Agent, s.Agent)
		if (a.Held != "" || a.Reached != "") && a.Count == 0 {
			a.Count = 1
		}
		if a.Agent == "" && (a.State != "" || a.Timeline != nil || a.Permission != "") {
			a.Agent = "main"
		}
	case *Run:
		a.Ends = orElse(a.Ends, "completed")
	case *Together:
		for i := range a.Steps {
			a.Steps[i] = completed(a.Steps[i])
		}
	}
	s.Agent = orElse(s.Agent, "main")
	return s
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (b *builder) expectations() {
	if v := b.tree.get("expect"); v != nil {
		b.plan.Expect = readExpect(&b.reader, v)
	}
	for _, v := range b.tables("expect_if") {
		list := readWhen(&b.reader, v)
		instead := readExpect(&b.reader, without(v, "when"))
		selected, codex := selects(list, b.variant, b.plan.Axes)
		switch {
		case len(list) == 0:
			b.faultAt(v.pos, "expect_if needs when; add when = { AXIS = value }, or use [expect]")
		case selected && anyVersion(codex, b.plan.Axes.Codex):
			b.plan.Expect = replaceExpect(b.plan.Expect, instead)
		case selected:
			b.otherVersions = append(b.otherVersions, instead...)
		}
	}
}

func without(v *value, name string) *value {
	c := v.clone()
	delete(c.members, name)
	c.names = slices.DeleteFunc(c.names, func(n string) bool { return n == name })
	return c
}

func replaceExpect(list, instead []Expectation) []Expectation {
	for _, e := range instead {
		i := slices.IndexFunc(list, func(old Expectation) bool { return old.Name() == e.Name() })
		if i < 0 {
			list = append(list, e)
		} else {
			list[i] = e
		}
	}
	return list
}
