package plan

import (
	"slices"
	"strings"
)

func wireKind() kind[WireRule] {
	return kind[WireRule]{"a wire rule", []key[WireRule]{
		required(field("of", nonEmptyForm("method"), func(w *WireRule) *string { return &w.Of }, `the method of the messages, "*" for any`)),
		field("what", wordForm("request", "reply", "notification"), func(w *WireRule) *string { return &w.What }, "their sort; any when left out"),
		field("nth", positiveForm(), func(w *WireRule) *int { return &w.Nth }, "only the Nth that is like this"),
		field("times", positiveForm(), func(w *WireRule) *int { return &w.Times }, "messages that it applies to; without it there is no end"),
		field("agent", nonEmptyForm("agent"), func(w *WireRule) *string { return &w.Agent }, "whose wire; each when left out"),
		elsewhere[WireRule]("when", "{ AXIS = value }", "only in variants that these axes select", whenSchema()),
		field("hold", nonEmptyForm("gate"), func(w *WireRule) *string { return &w.Hold }, "the message waits at a gate; later ones pass"),
		field("keep_order", boolForm(), func(w *WireRule) *bool { return &w.KeepOrder }, "with hold: later messages wait as well"),
		field("drop", trueForm(), func(w *WireRule) *bool { return &w.Drop }, "the message is lost"),
		field("repeat", repeatForm(), func(w *WireRule) **Repeat { return &w.Repeat }, "copies follow the message, or wait at a gate"),
		field("error", wireErrorForm(), func(w *WireRule) **WireError { return &w.Error }, "answers a request with this error"),
		field("after", nonEmptyForm("method"), func(w *WireRule) *string { return &w.After }, "the message waits for one of this method"),
		field("join", nonEmptyForm("method"), func(w *WireRule) *string { return &w.Join }, "one write with all up to a message of this method"),
		field("exit", trueForm(), func(w *WireRule) *bool { return &w.Exit }, "codex ends right after it"),
	}}
}

// wireDeeds are the keys of which a rule has exactly one.
func wireDeeds() []string {
	return []string{"hold", "drop", "repeat", "error", "after", "join", "exit"}
}

func readWireRule(r *reader, v *value) (WireRule, bool) {
	w := WireRule{Pos: v.pos}
	if !wireKind().read(r, v, &w) {
		return w, false
	}
	var deeds []string
	for _, name := range v.names {
		if slices.Contains(wireDeeds(), name) {
			deeds = append(deeds, name)
		}
	}
	switch {
	case len(deeds) > 1:
		r.faultAt(v.members[deeds[1]].key, "a wire rule does one thing; this one has %s and %s: make two rules of it", deeds[0], deeds[1])
	case len(deeds) == 0 && !v.broken:
		r.faultAt(v.pos, "a wire rule does nothing; add one of %s", strings.Join(wireDeeds(), ", "))
	case w.KeepOrder && w.Hold == "":
		r.faultAt(v.members["keep_order"].key, "keep_order goes with hold; take it out")
	default:
		return w, true
	}
	return w, false
}

func repeatForm() form[*Repeat] {
	k := kind[Repeat]{"a repeat", []key[Repeat]{
		required(field("times", positiveForm(), func(p *Repeat) *int { return &p.Times }, "copies")),
		field("hold", nonEmptyForm("gate"), func(p *Repeat) *string { return &p.Hold }, "gate that the copies wait at"),
	}}
	return byKind("N | { times, hold = GATE }", map[valueKind]form[*Repeat]{
		isInt:   convert(positiveForm(), func(n int) *Repeat { return &Repeat{Times: n} }),
		isTable: pointer(k.asForm()),
	})
}

func wireErrorForm() form[*WireError] {
	return pointer(kind[WireError]{"an error", []key[WireError]{
		required(field("code", wholeForm(), func(e *WireError) *int { return &e.Code }, "JSON-RPC code")),
		required(field("message", textForm(), func(e *WireError) *string { return &e.Message }, "message")),
	}}.asForm())
}
