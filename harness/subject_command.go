package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/internal/proc"
)

// command is the subject { command = […] }: any program that is told where the
// provider is. Each line of its output is a row of the assistant's.
type command struct{ env *Env }

// spec gives the program the prompt as a variable too, for those that do not
// read their input.
func (c command) spec(a *agent, p prompt) (proc.Spec, error) {
	argv, err := argv(c.env.plan)
	if err != nil {
		return proc.Spec{}, err
	}
	return proc.Spec{
		Path: argv[0], Args: argv[1:], Dir: c.env.workspace(), Mark: c.env.work.Mark(),
		Env: with(c.env.subjectEnviron(a), map[string]string{"HELDSTREAM_PROMPT": p.text}),
	}, nil
}

func (c command) input(p prompt) []byte { return []byte(p.text) }

func (c command) line(t *programTurn, line []byte) {
	t.row(eventlog.Row{Kind: "assistant", Text: string(line)})
}

// subjectEnviron is the environment of a program that the scenario brings: that
// of codex, the machine's PATH, where the provider is, and what the scenario adds.
func (e *Env) subjectEnviron(a *agent) []string {
	base := a.home.Provider.BaseURL
	env := with(a.home.Environ(), map[string]string{
		"PATH": os.Getenv("PATH"), "OPENAI_BASE_URL": base, "OPENAI_API_KEY": "mock", "HELDSTREAM_BASE_URL": base,
	})
	return with(env, e.plan.Subject.Env)
}

// argv is the subject's command line: what begins with ./ or ../ lies beside the
// scenario, and a bare name is looked for in the PATH.
func argv(p *plan.Plan) ([]string, error) {
	dir, err := filepath.Abs(filepath.Dir(p.File))
	if err != nil {
		return nil, err
	}
	var argv []string
	for _, arg := range p.Subject.Command {
		if strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../") {
			arg = filepath.Join(dir, filepath.FromSlash(arg))
			if _, err := os.Stat(arg); err != nil {
				return nil, missing(p, arg)
			}
		}
		argv = append(argv, arg)
	}
	if argv[0], err = exec.LookPath(argv[0]); err != nil {
		return nil, missing(p, p.Subject.Command[0])
	}
	return argv, nil
}

// missing is the reason to skip: the machine lacks a part of the subject.
func missing(p *plan.Plan, what string) error {
	cure := "install it, or correct the subject"
	if p.Subject.Setup != "" {
		cure = "`" + p.Subject.Setup + "` brings it"
	}
	return fmt.Errorf("%s is not on this machine: %s", what, cure)
}
