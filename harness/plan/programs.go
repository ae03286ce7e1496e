package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Programs are the places where the plan runs programs of its author's choice
// on this machine, or frees codex of its sandbox. A stranger's scenario that
// has none does no more than codex's sandbox allows.
func (p *Plan) Programs() Faults {
	g := &programs{}
	if k := p.Subject.Kind; k == "command" || k == "manager" {
		g.add(Pos{p.File, 1, 1}, "the subject is a program of the scenario's")
	}
	g.config(Pos{p.File, 1, 1}, p.Codex.Config)
	for _, name := range sortedKeys(p.Codex.Home) {
		g.add(Pos{p.File, 1, 1}, "%s is put into codex's home, where it can name programs", shortQuote(name))
	}
	for _, a := range p.Agents {
		if unsandboxed(a.Mode) {
			g.add(a.Pos, "agent %s runs without a sandbox (mode %s)", shortQuote(a.Name), shortQuote(a.Mode))
		}
	}
	g.steps(p.Steps)
	return g.found.tidy()
}

type programs struct{ found Faults }

func (g *programs) add(pos Pos, format string, args ...any) {
	g.found = append(g.found, Fault{Pos: pos, Message: fmt.Sprintf(format, args...)})
}

func (g *programs) steps(steps []Step) {
	for _, s := range steps {
		switch a := s.Action.(type) {
		case *Exec:
			g.add(s.Pos, "exec runs a command")
		case *RPC:
			if head, _, _ := strings.Cut(a.Method, "/"); slices.Contains([]string{"command", "process", "config", "mcpServer", "plugin", "fs"}, head) {
				g.add(s.Pos, "the call %s can run programs or name them", shortQuote(a.Method))
			}
			g.json(s.Pos, a)
		case *Restart:
			g.config(s.Pos, a.Config)
		case *Set:
			if unsandboxed(a.Mode) {
				g.add(s.Pos, "the agent runs without a sandbox (mode %s)", shortQuote(a.Mode))
			}
		case *Together:
			g.steps(a.Steps)
		}
	}
}

// json looks for a sandbox that a raw call switches off.
func (g *programs) json(pos Pos, a *RPC) {
	if slices.ContainsFunc([]string{"danger-full-access", "dangerFullAccess"}, func(s string) bool { return strings.Contains(string(a.Params), s) }) {
		g.add(pos, "the call %s switches codex's sandbox off", shortQuote(a.Method))
	}
}

// namers are keys of codex's configuration whose values name programs.
func namers() []string {
	return []string{"command", "notify", "hooks", "mcp_servers", "plugins"}
}

func (g *programs) config(pos Pos, table map[string]any) {
	for _, name := range sortedKeys(table) {
		switch v := table[name].(type) {
		case bool:
			continue // a feature of that name
		case string:
			if unsandboxed(v) {
				g.add(pos, "codex's %s switches its sandbox off", shortQuote(name))
				continue
			}
		case map[string]any:
			if !slices.Contains(namers(), name) {
				g.config(pos, v)
				continue
			}
		}
		if slices.Contains(namers(), name) {
			g.add(pos, "codex's %s can name programs", shortQuote(name))
		}
	}
}

func unsandboxed(mode string) bool {
	return mode == "danger-full-access" || mode == "full-access"
}
