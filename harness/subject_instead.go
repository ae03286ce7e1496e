package harness

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

// Manager is an agent manager that scenarios are played on in place of the one
// that they are written for. Either field is set.
type Manager struct {
	// Command is a program that speaks the lines of doc/managers.md, with its
	// arguments. Paths in it are absolute, since it runs in the workspace of
	// each run.
	Command []string
	// Serve does the same in this process, and returns when calls ends. It is
	// called once a run; several runs may have theirs at once.
	Serve func(calls io.Reader, lines io.Writer) error
	// Patience is how long it may take to exit once its calls have ended; 0: 5 s.
	Patience time.Duration
}

// ManagerAt is the manager that a command line names as one types it: words that
// are files here become full paths.
func ManagerAt(command []string) (*Manager, error) {
	if len(command) == 0 || command[0] == "" {
		return nil, errors.New("no program is named")
	}
	words := slices.Clone(command)
	program, err := exec.LookPath(words[0])
	if err != nil {
		return nil, err
	}
	words[0] = program
	for i, w := range words {
		if _, err := os.Stat(w); err != nil {
			continue
		}
		if words[i], err = filepath.Abs(w); err != nil {
			return nil, err
		}
	}
	return &Manager{Command: words}, nil
}

// instead is the plan with this manager in it. The known failures go, for they
// are those of another. An error is the reason why this plan cannot be played so.
func (m *Manager) instead(p *plan.Plan) (*plan.Plan, error) {
	switch {
	case p.Subject.Kind != "codex" && p.Subject.Kind != "manager":
		return nil, fmt.Errorf("its subject is %q, and no manager", p.Subject.Kind)
	case wantsTools(p):
		return nil, errors.New("its agents call the tools of the manager that is built in")
	}
	other := *p
	other.Subject = plan.Subject{Kind: "manager", Command: m.Command}
	other.Known = nil
	if err := unfit(&other); err != nil {
		return nil, err
	}
	return &other, nil
}

// words are the command as one writes it, "" for a function.
func (m *Manager) words() string {
	if m == nil {
		return ""
	}
	return report.ShellWords(m.Command)
}

func (r *Runner) patience() time.Duration {
	if r.Manager == nil || r.Manager.Patience == 0 {
		return 5 * time.Second
	}
	return r.Manager.Patience
}

func (r *Runner) serve() func(calls io.Reader, lines io.Writer) error {
	if r.Manager == nil {
		return nil
	}
	return r.Manager.Serve
}
