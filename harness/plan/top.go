package plan

import "github.com/heldstream/heldstream/mockprovider"

// draft is a plan in the making, with what does not go into it as it is.
type draft struct {
	Plan
	provided provided
	agents   []Agent
	realtime *mockprovider.Realtime
}

func topKind() kind[draft] { return theTopKind.get(newTopKind) }

var theTopKind once[kind[draft]]

func newTopKind() kind[draft] {
	return kind[draft]{"a scenario", []key[draft]{
		field("about", textForm(), func(d *draft) *string { return &d.About }, "what the scenario shows, in a sentence"),
		field("refs", listForm(nonEmptyForm("reference")), func(d *draft) *[]string { return &d.Refs }, "where it comes from, like \"owner/repo#1\""),
		field("tags", listForm(nonEmptyForm("tag")), func(d *draft) *[]string { return &d.Tags }, "words to select it by"),
		elsewhere[draft]("include", "list of paths", "files with shared replies and setup, beside this one; what stands here counts more",
			schema{"type": "array", "items": schema{"type": "string"}}),
		elsewhere[draft]("matrix", "table of lists", "axes: the scenario is played once for each combination; ${NAME} stands for the value", matrixSchema()),
		elsewhere[draft]("exclude", "list of { when }", "combinations that are left out", listOfSchema(excludeKind().schema())),
		field("subject", subjectForm(), func(d *draft) *Subject { return &d.Subject }, "what is tested; codex behind our manager when left out"),
		field("provider", providerKind().asForm().named("table"), func(d *draft) *provided { return &d.provided }, "how codex sees the provider"),
		field("codex", codexKind().asForm().named("table"), func(d *draft) *Codex { return &d.Codex }, "how codex is set up"),
		field("manager", managerKind().asForm().named("table"), func(d *draft) *Manager { return &d.Manager }, "how the manager is set up"),
		field("workspace", workspaceKind().asForm().named("table"), func(d *draft) *Workspace { return &d.Workspace }, "the folder that agents work in"),
		field("agent", listForm(positioned(agentKind().asForm(), func(a *Agent) *Pos { return &a.Pos })).named("list of tables"),
			func(d *draft) *[]Agent { return &d.agents }, "agents that are there from the start"),
		field("realtime", pointer(realtimeKind().asForm()).named("table"), func(d *draft) **mockprovider.Realtime { return &d.realtime }, "the realtime server, which codex looks for beside the provider"),
		field("limits", limitsKind().asForm().named("table"), func(d *draft) *Limits { return &d.Limits }, "bounds of a run"),
		elsewhere[draft]("reply", "list of tables", "what the model answers; see `replay help replies`", listOfSchema(ref("reply"))),
		elsewhere[draft]("wire", "list of tables", "what happens to messages between manager and codex; see `replay help wire`", listOfSchema(ref("wire"))),
		elsewhere[draft]("step", "list of tables", "what happens; see `replay help steps`", listOfSchema(ref("step"))),
		elsewhere[draft]("expect", "table", "what must be true at the end; see `replay help expect`", ref("expect")),
		elsewhere[draft]("expect_if", "list of tables", "when and expectations that replace those of [expect], key by key", listOfSchema(ref("expect_if"))),
		field("invariants", invariantsKind().asForm().named("table of false"), func(d *draft) *map[string]bool { return &d.Invariants },
			"checks that are always on, unless NAME = false"),
		elsewhere[draft]("known_failure", "list of tables", "variants that fail, and exactly how; of several that select a variant the last counts", listOfSchema(ref("known_failure"))),
	}}
}

func listOfSchema(s schema) schema { return schema{"type": "array", "items": s} }

func matrixSchema() schema {
	scalar := schema{"type": []string{"string", "number", "boolean"}}
	return schema{"type": "object", "additionalProperties": schema{"type": "array", "items": scalar, "minItems": 1}}
}

func excludeKind() kind[struct{}] {
	return kind[struct{}]{"exclude", []key[struct{}]{
		required(elsewhere[struct{}]("when", "{ AXIS = value }", "the combinations", whenSchema())),
	}}
}

// Invariants are checked in every run unless a file switches them off.
type invariant struct{ name, use string }

func invariants() []invariant {
	return []invariant{
		{"outside", "nothing asked for an outside host"},
		{"unmatched", "every request had a reply"},
		{"open_rows", "no row of the manager was left open after its turn"},
		{"one_end", "every turn ended once, as the manager tells it"},
		{"call_outputs", "every call in a request has exactly one output, and every output a call"},
		{"frames", "the client kept to the protocol"},
	}
}

// InvariantNames are the names that [invariants] and known_failure can use.
func InvariantNames() []string {
	var names []string
	for _, i := range invariants() {
		names = append(names, i.name)
	}
	return names
}

func invariantsKind() kind[map[string]bool] {
	k := kind[map[string]bool]{name: "[invariants]"}
	for _, i := range invariants() {
		k.keys = append(k.keys, key[map[string]bool]{name: i.name, form: "true | false", use: i.use, schema: boolForm().schema,
			read: func(r *reader, v *value, into *map[string]bool) {
				if on, ok := boolForm().read(r, v); ok {
					if *into == nil {
						*into = map[string]bool{}
					}
					(*into)[i.name] = on
				}
			}})
	}
	return k
}
