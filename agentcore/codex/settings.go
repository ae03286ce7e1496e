package codex

import (
	"fmt"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
)

// modes are the permission modes, in the order in which they are offered.
var modes = []struct {
	id, label                   string
	approval, sandbox, reviewer string
	policy                      map[string]any // the sandbox as turn/start wants it
}{
	{"read-only", "Read only", "on-request", "read-only", "user", map[string]any{"type": "readOnly"}},
	{"auto", "Auto", "on-request", "workspace-write", "user", map[string]any{"type": "workspaceWrite"}},
	{"auto-review", "Auto review", "on-request", "workspace-write", "auto_review", map[string]any{"type": "workspaceWrite"}},
	{"full-access", "Full access", "never", "danger-full-access", "user", map[string]any{"type": "dangerFullAccess"}},
}

// Modes are the permission modes of a session.
func Modes() []agentcore.Mode {
	var out []agentcore.Mode
	for _, m := range modes {
		out = append(out, agentcore.Mode{ID: m.id, Label: m.label})
	}
	return out
}

// settings are what a session sends along with its threads and turns.
type settings struct {
	mode, model, thinking string
	fast, plan            bool
	current               string // the model that codex says it uses
}

func settingsOf(c agentcore.SessionConfig) settings {
	s := settings{mode: c.Mode, model: c.Model, thinking: c.Thinking}
	s.fast, _ = c.Features["fast_mode"].(bool)
	s.plan, _ = c.Features["plan_mode"].(bool)
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

func (s *settings) check() error {
	if s.mode == "" {
		return nil
	}
	var ids []string
	for _, m := range modes {
		if m.id == s.mode {
			return nil
		}
		ids = append(ids, m.id)
	}
	return fmt.Errorf("invalid Codex mode %q; the modes are %s", s.mode, strings.Join(ids, ", "))
}

func (s *settings) threadParams(c agentcore.SessionConfig) map[string]any {
	p := map[string]any{}
	put(p, "cwd", c.Cwd)
	put(p, "model", s.model)
	put(p, "developerInstructions", joinTexts(c.SystemPrompt, c.AppendSystemPrompt))
	for _, m := range modes {
		if m.id == s.mode {
			p["approvalPolicy"], p["sandbox"], p["approvalsReviewer"] = m.approval, m.sandbox, m.reviewer
		}
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

func (s *settings) turnParams() map[string]any {
	p := map[string]any{}
	put(p, "model", s.model)
	put(p, "effort", s.thinking)
	if s.fast {
		p["serviceTier"] = "fast"
	}
	if s.plan {
		p["collaborationMode"] = map[string]any{
			"mode": "plan", "settings": map[string]any{"model": s.effective()},
		}
	}
	for _, m := range modes {
		if m.id == s.mode {
			p["approvalPolicy"], p["sandboxPolicy"], p["approvalsReviewer"] = m.approval, m.policy, m.reviewer
		}
	}
	return p
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
		err = next.check()
	case op.Name == "model" && isText:
		next.model, subject = text, "Model"
		next.fast = next.fast && takesFast(text)
	case op.Name == "thinking" && isText:
		next.thinking, subject = text, "Thinking level"
	case op.Name == "fast_mode" && isFlag:
		next.fast, subject = flag, "Fast mode"
		if flag && !takesFast(next.effective()) {
			err = fmt.Errorf("fast_mode is not available with model %q", next.effective())
		}
	case op.Name == "plan_mode" && isFlag:
		next.plan, subject = flag, "Plan mode"
	case op.Name == "fast_mode", op.Name == "plan_mode", op.Name == "mode", op.Name == "model", op.Name == "thinking":
		err = fmt.Errorf("%s cannot be %v (%T)", op.Name, op.Value, op.Value)
	default:
		err = fmt.Errorf("unknown Codex feature: %s", op.Name)
	}
	if err != nil {
		return nil, err
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
