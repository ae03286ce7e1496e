package plan

import (
	"fmt"
	"slices"
	"strings"
)

// expectSet collects the expectations of one table.
type expectSet struct {
	agent string
	list  []Expectation
}

func expectKind() kind[expectSet] {
	return kind[expectSet]{"expect", []key[expectSet]{
		want("compactions", compactionsForm(), "N started and completed and none aborted, or each number that is given"),
		want("delivered", textsForm(textForm()), "texts that reached the model: each in turn requests, in this order, never two of one in a request"),
		want("lost", textsForm(textForm()), "texts that reached the model in no request, and whose sender was not told"),
		want("turns", turnsForm(), "number of turns, or how each ended, in order"),
		want("calls", callsForm(), "how often codex was asked for each method, such as \"turn/start\" = 2; methods left out are not compared"),
		want("requests", requestsForm(), "number of requests by class, or all of them in order"),
		want("attempts", requestsForm(), "like requests, with every try"),
		want("timeline", timelineForm(), "all rows, as \"kind: text\"; * is any text, \"…\" any rows"),
		want("lifecycle", textsForm(nonEmptyForm("state")), "states since the first send, equal neighbors once"),
		want("errors", errorsForm(), "errors that the user saw, in order; text is contained"),
		want("permissions", textsForm(wordForm("allowed", "denied", "cancelled")), "what became of each request, in the order of the requests"),
		want("largest", largestForm(), "no request was larger"),
		want("sends", textsForm(nonEmptyForm("text")), "what each send gave, in order"),
		want("usage", usageForm(), "tokens of each completed turn; keys left out are not compared"),
		want("connections", connectionsForm(), "number of WebSocket connections, or the number of requests on each"),
		want("rollout", rolloutForm(), "lines that the agent's rollout has"),
		want("budget", budgetForm(), "at most so many in any turn"),
		{name: "agent", form: "table of expectations by agent", schema: schema{"type": "object", "additionalProperties": ref("expect")},
			use: "expectations for one agent: [expect.agent.NAME]", read: readAgentExpect},
	}}
}

// want is an expectation's key.
func want[W any, P interface {
	*W
	Want
}](name string, f form[*W], use string) key[expectSet] {
	return key[expectSet]{name: name, form: f.name, use: use, schema: f.schema, read: func(r *reader, v *value, into *expectSet) {
		if w, ok := f.read(r, v); ok {
			into.list = append(into.list, Expectation{Pos: v.key, Key: name, Agent: into.agent, Value: P(w)})
		}
	}}
}

func readExpect(r *reader, v *value) []Expectation {
	var set expectSet
	expectKind().read(r, v, &set)
	return set.list
}

func readAgentExpect(r *reader, v *value, into *expectSet) {
	if v.kind != isTable {
		wrong(r, v, "a table for each agent, [expect.agent.NAME]")
		return
	}
	for _, name := range v.names {
		m := v.members[name]
		if inner := m.get("agent"); inner != nil {
			r.faultAt(inner.key, "an agent's expectations have no agents of their own; take this out")
			continue
		}
		set := expectSet{agent: name}
		expectKind().read(r, m, &set)
		into.list = append(into.list, set.list...)
	}
}

func pointer[V any](f form[V]) form[*V] { return convert(f, func(v V) *V { return &v }) }

func textsForm(f form[string]) form[*Texts] {
	return convert(listForm(placedText(f)), func(list []Text) *Texts { return &Texts{list} })
}

func compactionsForm() form[*Compactions] {
	k := kind[Compactions]{"compactions", []key[Compactions]{
		optional("started", countForm(), func(c *Compactions) **int { return &c.Started }, "began"),
		optional("completed", countForm(), func(c *Compactions) **int { return &c.Completed }, "replaced the history"),
		optional("aborted", countForm(), func(c *Compactions) **int { return &c.Aborted }, "began and did not"),
	}}
	return byKind("N | { started, completed, aborted }", map[valueKind]form[*Compactions]{
		isInt: convert(countForm(), func(n int) *Compactions {
			completed, none := n, 0
			return &Compactions{&n, &completed, &none}
		}),
		isTable: pointer(k.asForm()),
	})
}

func turnsForm() form[*Turns] {
	return byKind(`N | list of "completed" | "interrupted" | "failed"`, map[valueKind]form[*Turns]{
		isInt: convert(countForm(), func(n int) *Turns { return &Turns{Count: &n} }),
		isArray: convert(listForm(placedText(wordForm("completed", "interrupted", "failed"))), func(l []Text) *Turns {
			return &Turns{List: l}
		}),
	})
}

func callsForm() form[*Calls] {
	f := mapForm(countForm())
	f.name = "{ METHOD = N }"
	return convert(f, func(m map[string]int) *Calls { return &Calls{m} })
}

func largestForm() form[*Largest] {
	return pointer(kind[Largest]{"largest", []key[Largest]{
		required(field("input_bytes", positiveForm(), func(l *Largest) *int { return &l.InputBytes }, "bytes of the input")),
	}}.asForm())
}

func budgetForm() form[*Budget] {
	return pointer(kind[Budget]{"a budget", []key[Budget]{
		optional("compactions", countForm(), func(b *Budget) **int { return &b.Compactions }, "a turn"),
		optional("requests", countForm(), func(b *Budget) **int { return &b.Requests }, "a turn"),
	}}.asForm())
}

func errorsForm() form[*Errors] {
	k := kind[ErrorWant]{"an error", []key[ErrorWant]{
		field("text", textForm(), func(e *ErrorWant) *string { return &e.Text }, "contained"),
		optional("retry", boolForm(), func(e *ErrorWant) **bool { return &e.Retry }, "whether codex said that it tries again"),
		field("code", nonEmptyForm("text"), func(e *ErrorWant) *string { return &e.Code }, "codex's code"),
	}}
	f := positioned(k.asForm(), func(e *ErrorWant) *Pos { return &e.Pos })
	return convert(listForm(f), func(l []ErrorWant) *Errors { return &Errors{l} })
}

func usageForm() form[*Usage] {
	k := kind[UsageWant]{"usage", []key[UsageWant]{
		optional("input", countForm(), func(u *UsageWant) **int { return &u.Input }, "tokens"),
		optional("cached", countForm(), func(u *UsageWant) **int { return &u.Cached }, "tokens"),
		optional("output", countForm(), func(u *UsageWant) **int { return &u.Output }, "tokens"),
		optional("reasoning", countForm(), func(u *UsageWant) **int { return &u.Reasoning }, "tokens"),
		optional("total", countForm(), func(u *UsageWant) **int { return &u.Total }, "tokens"),
	}}
	f := positioned(k.asForm(), func(u *UsageWant) *Pos { return &u.Pos })
	return convert(listForm(f), func(l []UsageWant) *Usage { return &Usage{l} })
}

func connectionsForm() form[*Connections] {
	return byKind("N | list of N", map[valueKind]form[*Connections]{
		isInt:   convert(countForm(), func(n int) *Connections { return &Connections{Count: &n} }),
		isArray: convert(listForm(countForm()), func(l []int) *Connections { return &Connections{Requests: l} }),
	})
}

func rolloutForm() form[*RolloutWant] {
	k := kind[RolloutLine]{"a rollout line", []key[RolloutLine]{
		field("type", nonEmptyForm("text"), func(l *RolloutLine) *string { return &l.Type }, "of the record"),
		field("where", plainTableForm(), func(l *RolloutLine) *map[string]any { return &l.Where }, "gjson path = value"),
		field("contains", textForm(), func(l *RolloutLine) *string { return &l.Contains }, "anywhere in the line"),
		optional("count", countForm(), func(l *RolloutLine) **int { return &l.Count }, "lines like this; at least one when left out"),
	}}
	f := positioned(k.asForm(), func(l *RolloutLine) *Pos { return &l.Pos })
	return convert(listForm(f), func(l []RolloutLine) *RolloutWant { return &RolloutWant{l} })
}

func timelineForm() form[*Timeline] {
	row := rowForm()
	return convert(listForm(row), func(rows []*Row) *Timeline {
		t := &Timeline{Rows: make([]Row, 0, len(rows))}
		for _, row := range rows {
			if row != nil {
				t.Rows = append(t.Rows, *row)
			}
		}
		return t
	})
}

func rowKinds() []string {
	return []string{"user", "assistant", "thought", "tool", "compaction", "error"}
}

func rowForm() form[*Row] {
	name := `"KIND: text"`
	return form[*Row]{name, schema{"type": "string"}, func(r *reader, v *value) (*Row, bool) {
		s, ok := readText(r, v)
		if !ok {
			return nil, false
		}
		row := Row{Pos: v.pos, AsInFile: s, AnyRows: s == "…" || s == "..."}
		if row.AnyRows {
			return &row, true
		}
		head, text, found := strings.Cut(s, ":")
		row.Kind, row.Aborted = strings.CutSuffix(head, " (aborted)")
		row.Text = strings.TrimPrefix(text, " ")
		row.AnyText = row.Text == "*"
		if !found || !slices.Contains(rowKinds(), row.Kind) {
			r.fault(v, "%s", unknown(fmt.Sprintf(`a row is "KIND: text", not %s`, shortQuote(s)), row.Kind, rowKinds()))
			return nil, false
		}
		return &row, true
	}}
}
