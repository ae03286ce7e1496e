package plan

import (
	"fmt"
	"slices"
	"strings"
)

// action is one kind of step: its own key, and those that may stand beside it.
type action struct {
	name, form, use string
	example         string   // a line of TOML
	inner           []keyDoc // the keys of its table, if it takes one
	schema          schema
	beside          []besideDoc
	gives           bool // its answer can be judged
	waits           bool // it cannot stand in together
	read            func(r *reader, step *value) (Action, bool)
}

// besideDoc describes a key that stands beside an action.
type besideDoc struct {
	name, form, use string
	schema          schema
}

// act makes an action of its key and of the keys beside it.
func act[A any, P interface {
	*A
	Action
}](own key[A], beside ...key[A]) action {
	a := action{name: own.name, form: own.form, use: own.use, schema: own.schema}
	for _, k := range beside {
		a.beside = append(a.beside, besideDoc{k.name, k.form, k.use, k.schema})
	}
	a.read = func(r *reader, step *value) (Action, bool) {
		into, before := new(A), len(r.faults)
		for _, k := range append([]key[A]{own}, beside...) {
			if v := step.members[k.name]; v != nil {
				k.read(r, v, into)
			}
		}
		return P(into), len(r.faults) == before
	}
	return a
}

// like gives the action an example.
func (a action) like(example string) action { a.example = example; return a }

// with documents the keys of the action's table.
func (a action) with(d tableDoc) action { a.inner = d.keys; return a }

func (a action) answered() action { a.gives = true; return a }
func (a action) waiting() action  { a.waits = true; return a }

// actions are all kinds of steps, in the order of the help text.
func actions() []action { return theActions.get(newActions) }

var theActions once[[]action]

func newActions() []action {
	return []action{
		runAction().waiting(), sendAction().answered(), interruptAction().answered(), compactAction().answered(),
		awaitAction().waiting(), settleAction().waiting(), releaseAction(),
		approveAction().answered(), denyAction().answered(), answerAction().answered(),
		setAction().answered(), restartAction().waiting(), killAction(), closeAction(), resumeAction().answered(), forkAction().answered(),
		injectAction().answered(), rpcAction(), execAction(), writeAction(), editAction(),
		togetherAction().waiting(), expireAction(), expectAction().waiting(),
	}
}

func actionNames(list []action) []string {
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = a.name
	}
	return names
}

// commonStepKeys stand beside any action.
func commonStepKeys() kind[Step] {
	return kind[Step]{"a step", []key[Step]{
		field("agent", nonEmptyForm("agent"), func(s *Step) *string { return &s.Agent }, "whose step it is; main when left out"),
		elsewhere[Step]("when", "{ AXIS = value }", "only in variants that these axes select", whenSchema()),
		field("gives", givesForm(), func(s *Step) **Gives { return &s.Gives }, "what the caller is given, judged when the answer comes; with "+answeredNames()),
	}}
}

// answeredNames lists the actions whose answer can be judged. It repeats what
// actions says, which cannot be asked here; a test holds the two together.
func answeredNames() string {
	return "send, interrupt, compact, approve, deny, answer, set, resume, fork, inject"
}

func givesForm() form[*Gives] {
	table := kind[Gives]{"gives", []key[Gives]{
		required(field("error", textForm(), func(g *Gives) *string { return &g.Error }, "contained in the error")),
	}}
	return byKind(`"started" | "steered" | "queued" | { error = text }`, map[valueKind]form[*Gives]{
		isText:  convert(nonEmptyForm("text"), func(s string) *Gives { return &Gives{What: s} }),
		isTable: convert(table.asForm(), func(g Gives) *Gives { return &g }),
	})
}

// readStep reads a table with exactly one action.
func readStep(r *reader, v *value, all []action) (Step, bool) {
	s := Step{Pos: v.pos}
	if v.kind != isTable {
		wrong(r, v, `a step as a table, like { send = "text" }`)
		return s, false
	}
	before := len(r.faults)
	a, ok := theAction(r, v, all)
	if !ok {
		return s, false
	}
	readCommon(r, v, a, &s)
	s.Action, _ = a.read(r, v)
	return s, len(r.faults) == before
}

func theAction(r *reader, v *value, all []action) (action, bool) {
	var found []action
	for _, name := range v.names {
		if i := slices.IndexFunc(all, func(a action) bool { return a.name == name }); i >= 0 {
			found = append(found, all[i])
		}
	}
	if len(found) > 1 {
		extra := v.members[found[1].name]
		r.faultAt(extra.key, "a step has one action; this one has %s and %s: make two steps of it, or put both into together", found[0].name, found[1].name)
	}
	if len(found) == 0 {
		noAction(r, v, all)
	}
	return append(found, action{})[0], len(found) > 0
}

// noAction blames the key that looks like an action, else the step.
func noAction(r *reader, v *value, all []action) {
	names, beside := actionNames(all), besideNames(all)
	blamed := false
	for _, name := range v.names {
		if !slices.Contains(beside, name) {
			blamed = true
			r.faultAt(v.members[name].key, "%s", unknown(fmt.Sprintf("there is no step %q", name), name, append(names, beside...)))
		}
	}
	if !blamed && !v.broken {
		r.faultAt(v.pos, "a step needs an action; add one, like send = \"text\" (`replay help steps` lists them)")
	}
}

func besideNames(all []action) []string {
	names := commonStepKeys().names()
	for _, a := range all {
		for _, b := range a.beside {
			if !slices.Contains(names, b.name) {
				names = append(names, b.name)
			}
		}
	}
	return names
}

func readCommon(r *reader, v *value, a action, s *Step) {
	common := commonStepKeys()
	mine := append(common.names(), a.name)
	for _, b := range a.beside {
		mine = append(mine, b.name)
	}
	for _, name := range v.names {
		switch m := v.members[name]; {
		case !slices.Contains(mine, name):
			strangerInStep(r, m, name, a, mine)
		case name == "gives" && !a.gives:
			r.faultAt(m.key, "%s gives no answer; take gives out", a.name)
		default:
			if i := slices.Index(common.names(), name); i >= 0 {
				common.keys[i].read(r, m, s)
			}
		}
	}
}

func strangerInStep(r *reader, m *value, name string, a action, mine []string) {
	all := actions()
	switch {
	case slices.Contains(actionNames(all), name):
		return // two actions: said already
	case slices.Contains(besideNames(all), name):
		r.faultAt(m.key, "%q does not go with %s; take it out (`replay help %s`)", name, a.name, a.name)
	default:
		r.faultAt(m.key, "%s", unknownKey(name, "a "+a.name+" step", mine))
	}
}

// trueOr is the form of actions that take true, or a table.
func trueOr[A any](k kind[A]) form[A] {
	return byKind("true | { "+strings.Join(k.names(), ", ")+" }", map[valueKind]form[A]{
		isBool:  convert(trueForm(), func(bool) A { var a A; return a }),
		isTable: k.asForm(),
	})
}

func itself[A any](a *A) *A { return a }
