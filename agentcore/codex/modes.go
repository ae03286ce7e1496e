package codex

import (
	"fmt"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
)

// mode is a permission mode: when codex asks, where its commands may write, and
// who answers.
type mode struct{ id, label, approval, sandbox, policy, reviewer string }

// modes are the permission modes, in the order in which they are offered.
var modes = []mode{
	{"read-only", "Read only", "on-request", "read-only", "readOnly", "user"},
	{"auto", "Auto", "on-request", "workspace-write", workspaceWrite, "user"},
	{"auto-review", "Auto review", "on-request", "workspace-write", workspaceWrite, autoReview},
	{"full-access", "Full access", "never", "danger-full-access", "dangerFullAccess", "user"},
}

const (
	workspaceWrite = "workspaceWrite"
	autoReview     = "auto_review"
)

// Modes are the permission modes of a session.
func Modes() []agentcore.Mode {
	var out []agentcore.Mode
	for _, m := range modes {
		out = append(out, agentcore.Mode{ID: m.id, Label: m.label})
	}
	return out
}

// modeNamed is the mode with this id, or nil.
func modeNamed(id string) *mode {
	for i := range modes {
		if modes[i].id == id {
			return &modes[i]
		}
	}
	return nil
}

// checkMode says what is wrong with a mode that was asked for.
func checkMode(id string) error {
	if modeNamed(id) != nil {
		return nil
	}
	var ids []string
	for _, m := range modes {
		ids = append(ids, m.id)
	}
	return fmt.Errorf("invalid Codex mode %q; the modes are %s", id, strings.Join(ids, ", "))
}

// takesMode says whether this codex knows a mode.
func (q Quirks) takesMode(id string) error {
	if m := modeNamed(id); m != nil && m.reviewer == autoReview && !q.Reviews {
		return fmt.Errorf("mode %q is unknown to codex %s: take auto, or a newer codex", id, q.Version)
	}
	return nil
}

// put adds what a mode sets; sandbox is the key and the value that the method
// wants it by.
func (m *mode) put(p map[string]any, q Quirks, sandbox string, value any) {
	p["approvalPolicy"], p[sandbox] = m.approval, value
	if q.Reviews {
		p["approvalsReviewer"] = m.reviewer
	}
}

// sandboxPolicy is the sandbox as a turn takes it. It stands for codex's own
// settings, so what the configuration allows has to be said again.
func (m *mode) sandboxPolicy(configured map[string]any) map[string]any {
	p := map[string]any{"type": m.policy}
	if m.policy != workspaceWrite {
		return p
	}
	for there, here := range map[string]string{
		"writable_roots": "writableRoots", "network_access": "networkAccess",
		"exclude_slash_tmp": "excludeSlashTmp", "exclude_tmpdir_env_var": "excludeTmpdirEnvVar",
	} {
		if v, ok := configured[there]; ok {
			p[here] = v
		}
	}
	return p
}
