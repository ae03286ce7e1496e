package plan

import (
	"encoding/json"
	"time"

	"github.com/heldstream/heldstream/mockprovider"
)

// The tables that set up a run.

// provided is what [provider] says: how codex sees it, and what it serves.
type provided struct {
	Provider
	meter   *mockprovider.Meter
	window  int
	models  []json.RawMessage
	upgrade *mockprovider.Upgrade
}

func providerKind() kind[provided] {
	return kind[provided]{"[provider]", []key[provided]{
		field("kind", wordForm("custom", "openai", "azure", "bedrock"), func(p *provided) *string { return &p.Kind },
			"decides which compaction codex uses: custom compacts locally, the others remotely; custom when left out"),
		field("login", wordForm("none", "apikey", "chatgpt"), func(p *provided) *string { return &p.Login }, "none when left out"),
		field("transport", wordForm(transports()...), func(p *provided) *string { return &p.Transport }, "sse when left out"),
		field("retries", retriesKind().asForm(), func(p *provided) *Retries { return &p.Retries }, "how often codex tries again; 0 when left out"),
		field("idle_timeout", durationForm(), func(p *provided) *time.Duration { return &p.IdleTimeout }, "codex's patience with a silent stream"),
		field("models", listForm(rawTableForm()), func(p *provided) *[]json.RawMessage { return &p.models }, "what GET /models lists"),
		field("meter", convert(meterKind().asForm(), func(m mockprovider.Meter) *mockprovider.Meter { return &m }),
			func(p *provided) **mockprovider.Meter { return &p.meter }, "tokens that replies report unless they say so themselves"),
		field("window", positiveForm(), func(p *provided) *int { return &p.window }, "tokens; a larger input, at 4 bytes a token, gets context_length_exceeded"),
		field("upgrade", convert(upgradeKind().asForm(), func(u mockprovider.Upgrade) *mockprovider.Upgrade { return &u }),
			func(p *provided) **mockprovider.Upgrade { return &p.upgrade }, "what WebSocket handshakes get, instead of being accepted"),
	}}
}

func transports() []string { return []string{"sse", "websocket"} }

func retriesKind() kind[Retries] {
	return kind[Retries]{"retries", []key[Retries]{
		field("request", countForm(), func(t *Retries) *int { return &t.Request }, "of a request"),
		field("stream", countForm(), func(t *Retries) *int { return &t.Stream }, "of a stream"),
	}}
}

func meterKind() kind[mockprovider.Meter] {
	return kind[mockprovider.Meter]{"a meter", []key[mockprovider.Meter]{
		field("start", countForm(), func(m *mockprovider.Meter) *int { return &m.Start }, "tokens of a thread's first turn"),
		field("per_turn", countForm(), func(m *mockprovider.Meter) *int { return &m.PerTurn }, "more for each that follows"),
	}}
}

func upgradeKind() kind[mockprovider.Upgrade] {
	return kind[mockprovider.Upgrade]{"an upgrade", []key[mockprovider.Upgrade]{
		field("status", intForm("N", 200, "an HTTP status"), func(u *mockprovider.Upgrade) *int { return &u.Status }, "refuses with this status"),
		field("times", positiveForm(), func(u *mockprovider.Upgrade) *int { return &u.Times }, "handshakes that it applies to; all when left out"),
		field("how", wordForm("hang", "reset", "silent"), func(u *mockprovider.Upgrade) *string { return &u.How }, "instead of a status"),
		field("headers", mapForm(textForm()), func(u *mockprovider.Upgrade) *map[string]string { return &u.Headers }, "of the answer"),
	}}
}

func codexKind() kind[Codex] {
	version := nonEmptyForm("version")
	return kind[Codex]{"[codex]", []key[Codex]{
		field("version", version, func(c *Codex) *string { return &c.Version }, `of the binary, like "0.171.0"`),
		field("config", plainTableForm(), func(c *Codex) *map[string]any { return &c.Config }, "goes into config.toml as it is"),
		field("features", mapForm(boolForm()), func(c *Codex) *map[string]bool { return &c.Features }, "feature flags"),
		field("catalog", listForm(rawTableForm()), func(c *Codex) *[]json.RawMessage { return &c.Catalog }, "the model catalogue, as a file"),
		field("agents_md", textForm(), func(c *Codex) *string { return &c.AgentsMD }, "AGENTS.md of the workspace"),
		field("home", mapForm(contentForm()), func(c *Codex) *map[string]Content { return &c.Home }, "more files of CODEX_HOME, by path"),
		field("env", mapForm(textForm()), func(c *Codex) *map[string]string { return &c.Env }, "more of codex's environment"),
		field("rollouts", listForm(rolloutFileForm()), func(c *Codex) *[]Rollout { return &c.Rollouts }, "recorded conversations that agents resume"),
	}}
}

func rolloutFileForm() form[Rollout] {
	k := kind[Rollout]{"a rollout", []key[Rollout]{
		field("agent", nonEmptyForm("agent"), func(o *Rollout) *string { return &o.Agent }, "who resumes it; main when left out"),
		required(field("lines", listForm(rawTableForm()), func(o *Rollout) *[]json.RawMessage { return &o.Lines }, "its records, as tables")),
	}}
	return positioned(k.asForm(), func(o *Rollout) *Pos { return &o.Pos })
}

func managerKind() kind[Manager] {
	return kind[Manager]{"[manager]", []key[Manager]{
		field("preset", wordForm(behaviors()...), func(m *Manager) *string { return &m.Preset }, "how a send meets a running turn; steer when left out"),
		field("tool_default", wordForm(behaviors()...), func(m *Manager) *string { return &m.ToolDefault }, "the same for its send_agent_prompt tool; the preset when left out. Agents have the tools (namespace mcp__agents) where this is set or a reply calls one"),
		field("on_lost", wordForm("report", "resend"), func(m *Manager) *string { return &m.OnLost }, "what follows when codex dropped an accepted text; report when left out"),
	}}
}

func workspaceKind() kind[Workspace] {
	return kind[Workspace]{"[workspace]", []key[Workspace]{
		field("files", mapForm(contentForm()), func(w *Workspace) *map[string]Content { return &w.Files }, "files to start with, by path; a picture as { png = [width, height] }"),
	}}
}

func agentKind() kind[Agent] {
	return kind[Agent]{"an agent", []key[Agent]{
		required(field("name", nonEmptyForm("name"), func(a *Agent) *string { return &a.Name }, "main need not be listed: it is there when the file lists none, or when anything is for it")),
		field("mode", nonEmptyForm("mode"), func(a *Agent) *string { return &a.Mode }, "permission mode"),
		field("model", nonEmptyForm("model"), func(a *Agent) *string { return &a.Model }, "model"),
		field("thinking", nonEmptyForm("effort"), func(a *Agent) *string { return &a.Thinking }, "reasoning effort"),
		field("system_prompt", textForm(), func(a *Agent) *string { return &a.SystemPrompt }, "system prompt"),
	}}
}

func realtimeKind() kind[mockprovider.Realtime] {
	return kind[mockprovider.Realtime]{"[realtime]", []key[mockprovider.Realtime]{
		field("hold", nonEmptyForm("gate"), func(t *mockprovider.Realtime) *string { return &t.Hold }, "gate before session.updated"),
	}}
}

func limitsKind() kind[Limits] {
	return kind[Limits]{"[limits]", []key[Limits]{
		field("deadline", durationForm(), func(l *Limits) *time.Duration { return &l.Deadline }, "of the whole run, from codex's first answer"),
	}}
}

// subjectParts are the keys of a subject that is a program.
type subjectParts struct {
	command, manager []string
	env              map[string]string
	setup            string
}

func subjectKind() kind[subjectParts] {
	return kind[subjectParts]{"a subject", []key[subjectParts]{
		field("command", listForm(textForm()), func(p *subjectParts) *[]string { return &p.command }, "any program that is given the base URL in its environment; ./ and ../ are paths beside the scenario"),
		field("manager", listForm(textForm()), func(p *subjectParts) *[]string { return &p.manager }, "somebody else's agent manager, which speaks JSON lines on stdio; `replay run --manager` puts another in its place"),
		field("env", mapForm(textForm()), func(p *subjectParts) *map[string]string { return &p.env }, "more of its environment"),
		field("setup", textForm(), func(p *subjectParts) *string { return &p.setup }, "the command that brings it, told to whose machine lacks it"),
	}}
}

func subjectForm() form[Subject] {
	words := wordForm("codex", "app-server", "exec")
	k := subjectKind()
	table := form[Subject]{"", k.schema(), func(r *reader, v *value) (Subject, bool) {
		var p subjectParts
		ok := k.read(r, v, &p)
		if ok && (len(p.command) == 0) == (len(p.manager) == 0) {
			r.fault(v, `a subject is { command = ["PROGRAM", …] } or { manager = ["PROGRAM", …] }; give one of them`)
			return Subject{}, false
		}
		if len(p.manager) > 0 {
			return Subject{"manager", p.manager, p.setup, p.env}, ok
		}
		return Subject{"command", p.command, p.setup, p.env}, ok
	}}
	return byKind(words.name+" | { command = [...] } | { manager = [...] }", map[valueKind]form[Subject]{
		isText:  convert(words, func(s string) Subject { return Subject{Kind: s} }),
		isTable: table,
	})
}
