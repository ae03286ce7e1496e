package plan

import (
	"github.com/heldstream/heldstream/mockprovider"
)

type match = mockprovider.Match

func matchKind() kind[match] {
	return kind[match]{"match", []key[match]{
		field("user", convert(textMatchForm(), func(t mockprovider.Text) *mockprovider.Text { return &t }), func(m *match) **mockprovider.Text { return &m.User },
			"the last user text: contained, { is } or { re }"),
		field("lacks", oneOrMore(textForm()), func(m *match) *[]string { return &m.Lacks }, "texts that the request has nowhere"),
		field("header", mapForm(textMatchForm()), func(m *match) *map[string]mockprovider.Text { return &m.Header }, "request headers"),
		field("model", nonEmptyForm("text"), func(m *match) *string { return &m.Model }, "the model that is asked for"),
		field("agent", nonEmptyForm("agent"), func(m *match) *string { return &m.Agent }, "name of the agent that asks"),
		field("json", plainTableForm(), func(m *match) *map[string]any { return &m.JSON }, "gjson path in the body = value"),
		field("nth", positiveForm(), func(m *match) *int { return &m.Nth }, "number of the request in its class, from 1"),
		field("tool_output", toolOutputForm(), func(m *match) **mockprovider.ToolOutput { return &m.ToolOutput },
			"whether a tool's output follows the last user item, and what it contains"),
	}}
}

type textMatch = mockprovider.Text

func textMatchForm() form[textMatch] {
	table := kind[textMatch]{"a match of text", []key[textMatch]{
		optional("is", textForm(), func(t *textMatch) **string { return &t.Is }, "the whole text"),
		field("contains", textForm(), func(t *textMatch) *string { return &t.Contains }, "a part of it"),
		field("re", nonEmptyForm("regular expression"), func(t *textMatch) *string { return &t.Re }, "a regular expression (RE2)"),
	}}
	return byKind("text | { is | contains | re = text }", map[valueKind]form[textMatch]{
		isText:  convert(textForm(), func(s string) textMatch { return textMatch{Contains: s} }),
		isTable: table.asForm(),
	})
}

type toolOutput = mockprovider.ToolOutput

func toolOutputForm() form[*toolOutput] {
	table := kind[toolOutput]{"tool_output", []key[toolOutput]{
		required(field("contains", textForm(), func(t *toolOutput) *string { return &t.Contains }, "in the output")),
	}}
	return byKind("true | false | { contains = text }", map[valueKind]form[*toolOutput]{
		isBool:  convert(boolForm(), func(b bool) *toolOutput { return &toolOutput{Present: b} }),
		isTable: convert(table.asForm(), func(t toolOutput) *toolOutput { t.Present = true; return &t }),
	})
}
