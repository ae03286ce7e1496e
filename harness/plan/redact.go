package plan

import (
	"regexp"
	"strings"

	"github.com/heldstream/heldstream/internal/lazyre"
)

// secrets are what must not leave a recording, and what stands for it. They
// are tried in order.
var secrets = []struct {
	find func() *regexp.Regexp
	put  string
}{
	{lazyre.New(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)`), "PRIVATE-KEY"},
	{lazyre.New(`eyJ[\w-]{8,}\.[\w-]+\.?[\w-]*`), "TOKEN"},
	{lazyre.New(`\b(sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abprs]|npm|hf|pypi|AKIA|ASIA|AIza)[-_]?[\w-]{12,}`), "TOKEN"},
	{lazyre.New(`(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}`), "$1 TOKEN"},
	{lazyre.New(`(?i)\b([\w-]*(?:password|passwd|secret|token|api[_-]?key|authorization)[\w-]*["']?\s*[:=]\s*["']?)[^\s"',;&]{4,}`), "${1}SECRET"},
	{lazyre.New(`(?i)\b([a-z][a-z0-9+.-]*://)[^\s/@:]+:[^\s/@]+@`), "${1}user:SECRET@"},
	{lazyre.New(`[\w.+-]+@[\w-]+(\.[\w-]+)+`), "user@example.com"},
	{lazyre.New(`\b[0-9a-fA-F]{32,}\b`), "HEX"},
	{lazyre.New(`(/home|/Users)/[^/\s"'` + "`" + `:;,)]+`), "/home/user"},
	{lazyre.New(`(?i)\b[a-z]:\\+Users\\+[^\\\s"']+`), `C:\Users\user`},
}

// safe is a text without secrets, people and paths. The start of a name is
// broken up: what the recording meant by it is not ours to fill in.
func (c *conversation) safe(s string) string {
	s = strings.ReplaceAll(s, "${", "$ {")
	if len(c.cwd) > 1 {
		s = strings.ReplaceAll(s, c.cwd, "${workspace}")
	}
	for _, secret := range secrets {
		s = secret.find().ReplaceAllString(s, secret.put)
	}
	return s
}

// commandKeys are the arguments of tools that a shell would run.
var commandKeys = map[string]bool{"cmd": true, "command": true, "chars": true, "script": true}

// safeValue is a tool's arguments without secrets, and with nothing to run.
func (c *conversation) safeValue(v any) any {
	switch v := v.(type) {
	case string:
		return c.safe(v)
	case []any:
		for i := range v {
			v[i] = c.safeValue(v[i])
		}
	case map[string]any:
		for name, m := range v {
			v[name] = c.safeValue(m)
			if commandKeys[name] {
				v[name] = harmless(m)
			}
		}
	}
	return v
}

func harmless(command any) any {
	if _, list := command.([]any); list {
		return []any{"true"}
	}
	return "true"
}
