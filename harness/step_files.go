package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/harness/plan"
)

// stepFiles does what concerns only files: the workspace's and codex's own. A
// run from tape has neither, for nothing runs that would read or write them. Such
// a step was done and judged when the tape was recorded, and a tape is bound to
// the steps of its scenario; the report says so.
func (e *Env) stepFiles(ctx context.Context, s plan.Step) error {
	if e.player != nil {
		e.recorded++
		return nil
	}
	switch a := s.Action.(type) {
	case *plan.Exec:
		return e.stepExec(ctx, a)
	case *plan.Write:
		return e.writeFile(a.File, a.Content)
	case *plan.Edit:
		return e.stepEdit(s, a)
	}
	return fmt.Errorf("the step %s is none of files", s.Action.Name())
}

// stepExec runs a command in the workspace, with the environment of codex.
func (e *Env) stepExec(ctx context.Context, a *plan.Exec) error {
	argv := make([]string, len(a.Command))
	for i, arg := range a.Command {
		argv[i] = e.expand(arg)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = e.workspace(), e.agents.all()[0].home.Environ()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	if code := cmd.ProcessState.ExitCode(); code != a.Exit {
		return fmt.Errorf("%s exited with %d, wanted %d: %s", argv[0], code, a.Exit, strings.TrimSpace(string(out)))
	}
	return nil
}

// stepEdit changes one line of a file of the workspace, or of the agent's rollout.
func (e *Env) stepEdit(s plan.Step, a *plan.Edit) error {
	file, err := e.editable(s, a)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := strings.Split(string(data), "\n")
	at, err := lineOf(lines, a)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	switch put := e.expand(a.Put); {
	case a.Delete:
		lines = slices.Delete(lines, at, at+1)
	case a.Find != "":
		lines[at] = strings.ReplaceAll(lines[at], a.Find, put)
	default:
		lines[at] = put
	}
	return os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600)
}

func (e *Env) editable(s plan.Step, a *plan.Edit) (string, error) {
	if !a.Rollout {
		return e.inWorkspace(a.File)
	}
	ag := e.agent(s.Agent)
	files, err := ag.rollouts(e.subject.thread(ag))
	switch {
	case err != nil:
		return "", err
	case len(files) == 0:
		return "", fmt.Errorf("agent %s has no rollout; codex writes it with the first turn", s.Agent)
	}
	return files[0], nil
}

func lineOf(lines []string, a *plan.Edit) (int, error) {
	if a.Line > 0 {
		if a.Line > len(lines) {
			return 0, fmt.Errorf("there is no line %d, the file has %d", a.Line, len(lines))
		}
		return a.Line - 1, nil
	}
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, a.Find) })
	if at < 0 {
		return 0, fmt.Errorf("no line contains %q", a.Find)
	}
	return at, nil
}

// rollouts are the files in which codex keeps a conversation; all of the home's
// when thread is empty.
func (a *agent) rollouts(thread string) ([]string, error) {
	return filepath.Glob(filepath.Join(a.home.Sessions(), "*", "*", "*", "rollout-*"+thread+".jsonl"))
}
