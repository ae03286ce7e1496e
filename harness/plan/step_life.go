package plan

import "encoding/json"

func setAction() action {
	k := kind[Set]{"set", []key[Set]{
		field("mode", nonEmptyForm("mode"), func(a *Set) *string { return &a.Mode }, "permission mode"),
		field("model", nonEmptyForm("model"), func(a *Set) *string { return &a.Model }, "model"),
		field("thinking", nonEmptyForm("effort"), func(a *Set) *string { return &a.Thinking }, "reasoning effort"),
		optional("plan", boolForm(), func(a *Set) **bool { return &a.Plan }, "whether codex plans (its Plan mode), rather than works"),
	}}
	return act(field("set", k.asForm(), itself[Set], "changes settings of the agent")).with(k.doc()).like(`set = { model = "gpt-5.5" }`)
}

func restartAction() action {
	words := wordForm("manager", "codex", "both")
	k := kind[Restart]{"a restart", []key[Restart]{
		required(field("what", words, func(a *Restart) *string { return &a.What }, "what is ended and started again")),
		field("config", plainTableForm(), func(a *Restart) *map[string]any { return &a.Config }, "laid over codex's config first"),
		field("features", mapForm(boolForm()), func(a *Restart) *map[string]bool { return &a.Features }, "laid over codex's features first"),
	}}
	f := byKind(words.name+" | { what, config, features }", map[valueKind]form[Restart]{
		isText:  convert(words, func(s string) Restart { return Restart{What: s} }),
		isTable: k.asForm(),
	})
	return act(field("restart", f, itself[Restart], "ends it in order and starts it again on the same files")).with(k.doc()).like(`restart = "codex"`)
}

func killAction() action {
	return act(flag[Kill]("kill", "ends the agent's codex at once (SIGKILL)")).like("kill = true")
}

func closeAction() action {
	return act(flag[Close]("close", "closes the agent in order; a prompt of another agent, or resume, opens it again")).like("close = true")
}

func resumeAction() action {
	return act(flag[Resume]("resume", "opens the agent's conversation again in a new session")).like("resume = true")
}

func forkAction() action {
	return act(field("fork", nonEmptyForm("name"), func(a *Fork) *string { return &a.As },
		"copies the agent's conversation to a new agent of this name")).like(`fork = "copy"`)
}

func injectAction() action {
	return act(field("inject", oneOrMore(itemForm()), func(a *Inject) *[]json.RawMessage { return &a.Items },
		"puts items into codex's history: raw items, or { role, text }")).like(`inject = { role = "developer", text = "be brief" }`)
}

// itemForm is a raw item, or a message in short.
func itemForm() form[json.RawMessage] {
	f := rawTableForm()
	f.read = func(r *reader, v *value) (json.RawMessage, bool) {
		if v.kind != isTable {
			wrong(r, v, `an item as a table, like { role = "developer", text = "…" }`)
			return nil, false
		}
		if v.members["type"] == nil && v.members["text"] == nil {
			r.fault(v, `an item needs a type; add type = "message", or write { role, text }`)
			return nil, false
		}
		if v.members["type"] == nil {
			return shortMessage(r, v)
		}
		return v.json(), true
	}
	return f
}

type message struct{ role, text string }

func shortMessage(r *reader, v *value) (json.RawMessage, bool) {
	var m message
	ok := kind[message]{"a message", []key[message]{
		required(field("role", wordForm("user", "developer", "assistant"), func(m *message) *string { return &m.role }, "whose")),
		required(field("text", textForm(), func(m *message) *string { return &m.text }, "what")),
	}}.read(r, v, &m)
	part := "input_text"
	if m.role == "assistant" {
		part = "output_text"
	}
	return json.RawMessage(`{"type":"message","role":` + jsonText(m.role) +
		`,"content":[{"type":"` + part + `","text":` + jsonText(m.text) + `}]}`), ok
}

func rpcAction() action {
	k := kind[RPC]{"an rpc", []key[RPC]{
		required(field("method", nonEmptyForm("method"), func(a *RPC) *string { return &a.Method }, "as codex's app-server names it")),
		field("params", jsonForm(), func(a *RPC) *json.RawMessage { return &a.Params }, "as they are"),
		field("result", plainTableForm(), func(a *RPC) *map[string]any { return &a.Result }, `gjson path in the result = value; "*": present`),
		field("error", textForm(), func(a *RPC) *string { return &a.Error }, "contained in the error that it must give"),
	}}
	return act(field("rpc", k.asForm(), itself[RPC], "calls codex's app-server and waits for the answer")).with(k.doc()).like(`rpc = { method = "thread/loaded/list", result = { data = "*" } }`)
}
