package plan

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/heldstream/heldstream/mockprovider"
)

func asSummary(texts []string) *mockprovider.Think { return &mockprovider.Think{Summary: texts} }

func thinkForm() form[*mockprovider.Think] {
	table := convert(thinkKind().asForm(), func(t mockprovider.Think) *mockprovider.Think { return &t })
	return byKind("text | list of texts | { summary, text, encrypted }", map[valueKind]form[*mockprovider.Think]{
		isText: convert(oneOrMore(textForm()), asSummary), isArray: convert(listForm(textForm()), asSummary), isTable: table,
	})
}

func thinkKind() kind[mockprovider.Think] {
	return kind[mockprovider.Think]{"think", []key[mockprovider.Think]{
		field("summary", oneOrMore(textForm()), func(t *mockprovider.Think) *[]string { return &t.Summary }, "what is shown to the user"),
		field("text", oneOrMore(textForm()), func(t *mockprovider.Think) *[]string { return &t.Text }, "the reasoning itself"),
		field("encrypted", textForm(), func(t *mockprovider.Think) *string { return &t.Encrypted }, "encrypted content, sent back with the next request"),
	}}
}

func callKind() kind[mockprovider.Call] {
	return kind[mockprovider.Call]{"a call", []key[mockprovider.Call]{
		required(field("tool", nonEmptyForm("tool"), func(c *mockprovider.Call) *string { return &c.Tool }, "name of the tool")),
		field("args", jsonForm(), func(c *mockprovider.Call) *json.RawMessage { return &c.Args }, "arguments, mostly a table"),
		field("input", textForm(), func(c *mockprovider.Call) *string { return &c.Input }, "input of a custom tool; with kind = \"mcp\" its output"),
		field("id", nonEmptyForm("text"), func(c *mockprovider.Call) *string { return &c.ID }, "call id, when it matters"),
		field("kind", wordForm("function", "custom", "local_shell", "web_search", "tool_search", "image_generation", "mcp"),
			func(c *mockprovider.Call) *string { return &c.Kind }, "kind of item; function, or custom when there is an input"),
		field("namespace", nonEmptyForm("text"), func(c *mockprovider.Call) *string { return &c.Namespace }, "of the tool"),
	}}
}

type tokens = mockprovider.Tokens

func tokensKind() kind[tokens] {
	return kind[tokens]{"tokens", []key[tokens]{
		field("input", countForm(), func(t *tokens) *int { return &t.Input }, "input tokens"),
		field("cached", countForm(), func(t *tokens) *int { return &t.Cached }, "of these from the cache"),
		field("output", countForm(), func(t *tokens) *int { return &t.Output }, "output tokens"),
		field("reasoning", countForm(), func(t *tokens) *int { return &t.Reasoning }, "of these for reasoning"),
		field("total", countForm(), func(t *tokens) *int { return &t.Total }, "input + output unless given"),
	}}
}

func tokensForm() form[*tokens] {
	return byKind(`N | { input, cached, output, reasoning, total } | "omitted"`, map[valueKind]form[*tokens]{
		isInt:   convert(countForm(), func(n int) *tokens { return &tokens{Input: n, Total: n} }),
		isText:  form[*tokens]{"", wordForm("omitted").schema, readOmitted},
		isTable: convert(tokensKind().asForm(), func(t tokens) *tokens { return &t }),
	})
}

func readOmitted(r *reader, v *value) (*tokens, bool) {
	if v.str != "omitted" {
		wrong(r, v, `a number, like 50_000, a table, or "omitted"`)
		return nil, false
	}
	return &tokens{Omitted: true}, true
}

func endForm() form[string] {
	name := `"completed" | "incomplete:REASON" | "failed:CODE" | "none"`
	pattern := schema{"type": "string", "pattern": "^(completed|none|incomplete:.+|failed:.+)$"}
	return form[string]{name, pattern, func(r *reader, v *value) (string, bool) {
		head, tail, _ := strings.Cut(v.str, ":")
		whole := (v.str == "completed" || v.str == "none")
		parted := (head == "incomplete" || head == "failed") && tail != ""
		if v.kind != isText || !whole && !parted {
			wrong(r, v, name)
			return "", false
		}
		return v.str, true
	}}
}

type hold = mockprovider.Hold

func holdKind() kind[hold] {
	return kind[hold]{"a hold", []key[hold]{
		required(field("gate", nonEmptyForm("gate"), func(h *hold) *string { return &h.Gate }, "name of the gate")),
		field("before", nonEmptyForm("event"), func(h *hold) *string { return &h.Before }, `event type, "headers" or "end"`),
		field("after", nonEmptyForm("event"), func(h *hold) *string { return &h.After }, `event type, "headers" or "end"`),
	}}
}

func holdForm() form[hold] {
	return byKind("GATE | { gate, before = EVENT } | { gate, after = EVENT }", map[valueKind]form[hold]{
		isText:  convert(nonEmptyForm("gate"), func(s string) hold { return hold{Gate: s} }),
		isTable: holdKind().asForm(),
	})
}

func cutForm() form[*mockprovider.Cut] {
	return convert(cutKind().asForm(), func(c mockprovider.Cut) *mockprovider.Cut { return &c })
}

func cutKind() kind[mockprovider.Cut] {
	return kind[mockprovider.Cut]{"a cut", []key[mockprovider.Cut]{
		field("after", nonEmptyForm("event"), func(c *mockprovider.Cut) *string { return &c.After }, `event type, or "headers"; with neither after nor bytes: before the headers`),
		field("bytes", countForm(), func(c *mockprovider.Cut) *int { return &c.Bytes }, "of the body"),
		field("how", cutHowForm(), func(c *mockprovider.Cut) *string { return &c.How }, "close when left out; close:CODE closes a WebSocket in due form"),
	}}
}

func cutHowForm() form[string] {
	name := `"close" | "reset" | "close:CODE"`
	return form[string]{name, schema{"type": "string", "pattern": "^(reset|close(:[0-9]+)?)$"}, func(r *reader, v *value) (string, bool) {
		code, coded := strings.CutPrefix(v.str, "close:")
		_, err := strconv.Atoi(code)
		if v.kind != isText || v.str != "close" && v.str != "reset" && (!coded || err != nil) {
			wrong(r, v, name)
			return "", false
		}
		return v.str, true
	}}
}

type frame = mockprovider.Frame

func frameKind() kind[frame] {
	return kind[frame]{"a frame", []key[frame]{
		field("chunk", positiveForm(), func(f *frame) *int { return &f.Chunk }, "bytes a write; one write an event without it"),
		field("crlf", boolForm(), func(f *frame) *bool { return &f.CRLF }, "true: lines end with CRLF"),
		field("comments", commentsForm(), func(f *frame) **mockprovider.Comments { return &f.Comments }, "heartbeats: N before each event, or times of them, every apart, before one"),
		field("event_lines", convert(boolForm(), func(on bool) bool { return !on }), func(f *frame) *bool { return &f.NoEventLines }, "false: no event: lines"),
		field("done", boolForm(), func(f *frame) *bool { return &f.Done }, "true: data: [DONE] ends the stream"),
		field("coalesce", positiveForm(), func(f *frame) *int { return &f.Coalesce }, "events a write"),
	}}
}

type comments = mockprovider.Comments

func commentsForm() form[*comments] {
	table := kind[comments]{"comments", []key[comments]{
		required(field("times", positiveForm(), func(c *comments) *int { return &c.Times }, "how many")),
		field("every", durationForm(), func(c *comments) *time.Duration { return &c.Every }, "real time between them"),
		field("before", nonEmptyForm("event"), func(c *comments) *string { return &c.Before }, "event type; each event without it"),
	}}
	return byKind("N | { times, every, before = EVENT }", map[valueKind]form[*comments]{
		isInt:   convert(positiveForm(), func(n int) *comments { return &comments{Times: n} }),
		isTable: convert(table.asForm(), func(c comments) *comments { return &c }),
	})
}

func setEvents(p *reply) *[]json.RawMessage { return &p.Events }
