package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
)

// subject is what a run tests. A step hands it one call at a time; what it does
// it tells through the log. Which steps it takes stands in takes.
type subject interface {
	// open brings it to where every agent waits for its first prompt.
	open(ctx context.Context) error
	// send hands over a prompt. What became of it is told once.
	send(a *agent, p prompt, answered func(eventlog.SendAnswered))
	// begin asks something else. The answer is told once.
	begin(a *agent, req agentcore.Request, answered func(result any, err error))
	// thread is codex's id of the agent's conversation, "" before there is one.
	thread(a *agent) string
	// kill ends the agent's process at once, and reports whether one ran.
	kill(a *agent) bool
	// close ends what it has started and returns when all is gone.
	close() error
}

// resumer is a subject that can go on with what codex has stored.
type resumer interface {
	reload(ctx context.Context, a *agent) error
}

// conversations is one that stores what it can end and go on with itself.
type conversations interface {
	resumer
	end(ctx context.Context, a *agent) error
	restart(ctx context.Context) error
	fork(ctx context.Context, from, to *agent) error
}

var errNotTaken = errors.New("this subject cannot do that")

// newSubject makes the plan's subject.
func newSubject(e *Env) subject {
	switch e.plan.Subject.Kind {
	case "app-server":
		return newAppServer(e)
	case "exec":
		return newPrograms(e, codexExec{e})
	case "command":
		return newPrograms(e, command{e})
	case "manager":
		return newForeign(e)
	}
	return newOurManager(e)
}

// Steps by what they need of a subject, named as in files.
var (
	always  = []string{"await", "settle", "release", "kill", "exec", "write", "edit", "together", "expect"}
	prompts = []string{"run", "send"}
)

// takes are the steps of each subject that does not take all of them.
var takes = map[string][]string{
	"app-server": slices.Concat([]string{"rpc", "inject"}, always),
	"exec":       slices.Concat(prompts, always),
	"command":    slices.Concat(prompts, always),
	"manager":    slices.Concat(prompts, []string{"interrupt", "compact", "approve", "deny", "answer", "set", "resume"}, always),
}

// unfit names the first step that the plan's subject does not take, at its
// place in the file.
func unfit(p *plan.Plan) error {
	known, limited := takes[p.Subject.Kind]
	if !limited {
		return nil
	}
	for _, s := range flatten(p.Steps) {
		if name := s.Action.Name(); !slices.Contains(known, name) {
			return fmt.Errorf("%s: the subject %q takes no step %q; it takes %s", s.Pos, p.Subject.Kind, name, strings.Join(slices.Sorted(slices.Values(known)), ", "))
		}
	}
	return nil
}
