package codex

import (
	"fmt"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
)

// settings are what a session sends along with its threads and turns.
type settings struct {
	mode, model, thinking string
	fast, plan            bool
	current               string // the model that codex says it uses

	// Codex keeps what a turn sets for those that follow, so what was said once
	// has to be taken back.
	saidFast, saidPlan bool
}

// settingsOf are the settings that a session begins with. A thread that is
// resumed goes on with what an earlier session said, as far as it said anything.
func settingsOf(req agentcore.OpenRequest) settings {
	c := req.Config
	s := settings{mode: c.Mode, model: c.Model, thinking: c.Thinking}
	feature := func(name string) (on, said bool) {
		value, known := c.Features[name]
		on, _ = value.(bool)
		return on, known && req.Resume != nil
	}
	s.fast, s.saidFast = feature("fast_mode")
	s.plan, s.saidPlan = feature("plan_mode")
	return s
}

func (s *settings) opened(model string) { s.current = model }

// effective is the model that the next turn runs with.
func (s *settings) effective() string {
	if s.model != "" {
		return s.model
	}
	return s.current
}

func (m *machine) threadParams() map[string]any {
	p, c := map[string]any{}, m.req.Config
	put(p, "cwd", c.Cwd)
	put(p, "model", m.settings.model)
	put(p, "developerInstructions", joinTexts(c.SystemPrompt, c.AppendSystemPrompt))
	if mode := modeNamed(m.settings.mode); mode != nil {
		mode.put(p, m.quirks, "sandbox", mode.sandbox)
	}
	config := map[string]any{}
	for k, v := range c.Options {
		config[k] = v
	}
	if len(c.MCPServers) > 0 {
		config["mcp_servers"] = c.MCPServers
	}
	if len(config) > 0 {
		p["config"] = config
	}
	return p
}

func (m *machine) turnParams() map[string]any {
	p, s := map[string]any{"threadId": m.thread}, &m.settings
	put(p, "model", s.model)
	put(p, "effort", s.thinking)
	switch {
	case s.fast:
		p["serviceTier"] = "fast"
	case s.saidFast:
		p["serviceTier"] = nil
	}
	switch {
	case s.plan:
		p["collaborationMode"] = s.collaboration("plan")
	case s.saidPlan:
		p["collaborationMode"] = s.collaboration("default")
	}
	s.saidFast, s.saidPlan = s.saidFast || s.fast, s.saidPlan || s.plan
	if mode := modeNamed(s.mode); mode != nil {
		mode.put(p, m.quirks, "sandboxPolicy", mode.sandboxPolicy(m.known.sandbox))
	}
	return p
}

// collaboration is how codex works with its user: its settings take the place
// of those beside it.
func (s *settings) collaboration(mode string) map[string]any {
	settings := map[string]any{"model": s.effective()}
	if s.thinking != "" {
		settings["reasoning_effort"] = s.thinking
	}
	return map[string]any{"mode": mode, "settings": settings}
}

// set changes a setting for the turns to come.
func (m *machine) set(op agentcore.Set) (notice any, err error) {
	next := m.settings
	text, isText := op.Value.(string)
	flag, isFlag := op.Value.(bool)
	subject := ""
	switch {
	case op.Name == "mode" && isText:
		next.mode, subject = text, "Permission mode"
		if err = checkMode(text); err == nil && m.info.Version != "" {
			err = m.quirks.takesMode(text)
		}
	case op.Name == "model" && isText && text != "":
		next.model, subject = text, "Model"
		next.fast = next.fast && takesFast(text)
	case op.Name == "thinking" && isText && text != "":
		next.thinking, subject = text, "Thinking level"
	case op.Name == "fast_mode" && isFlag:
		next.fast, subject = flag, "Fast mode"
		if flag && !takesFast(next.effective()) {
			err = fmt.Errorf("fast_mode is not available with model %q", next.effective())
		}
	case op.Name == "plan_mode" && isFlag:
		next.plan, subject = flag, "Plan mode"
	case op.Name == "fast_mode", op.Name == "plan_mode", op.Name == "mode", op.Name == "model", op.Name == "thinking":
		err = fmt.Errorf("%s cannot be %q (%T)", op.Name, fmt.Sprint(op.Value), op.Value)
	default:
		err = fmt.Errorf("unknown Codex feature: %s", op.Name)
	}
	if err != nil {
		return nil, err
	}
	if m.settings.fast && !next.fast && op.Name == "model" {
		m.emit(agentcore.SettingChanged{Name: "fast_mode", Value: "false"})
	}
	m.settings = next
	if m.turns.starting != nil || m.turns.current() != nil {
		return subject + " applies next turn", nil
	}
	return nil, nil
}

func takesFast(model string) bool {
	for _, family := range []string{"gpt-5", "gpt-4.1", "o3", "o4-mini"} {
		if strings.HasPrefix(model, family) {
			return true
		}
	}
	return false
}

func put(p map[string]any, key, value string) {
	if value != "" {
		p[key] = value
	}
}

func joinTexts(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
