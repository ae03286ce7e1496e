package harness

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
)

// take carries out one step. Its error says what the step could not do.
func (e *Env) take(ctx context.Context, s plan.Step) error {
	switch a := s.Action.(type) {
	case *plan.Run:
		return e.stepRun(ctx, s, a)
	case *plan.Send:
		e.stepSend(s, a)
		return nil
	case *plan.Interrupt:
		return e.stepInterrupt(s)
	case *plan.Compact:
		return e.stepCompact(s)
	case *plan.Await:
		return e.stepAwait(ctx, s, a)
	case *plan.Settle:
		return e.settle(ctx)
	case *plan.Release:
		return e.stepRelease(ctx, a)
	case *plan.Approve:
		return e.stepRespond(s, a.Nth, allow())
	case *plan.Deny:
		return e.stepRespond(s, a.Nth, deny(a))
	case *plan.Answer:
		return e.stepRespond(s, a.Nth, answers(a))
	case *plan.Set:
		return e.stepSet(s, a)
	case *plan.Restart:
		return e.stepRestart(ctx, s, a)
	case *plan.Kill:
		return e.stepKill(ctx, s)
	case *plan.Close:
		return e.stepClose(ctx, s)
	case *plan.Resume:
		return e.stepResume(ctx, s)
	case *plan.Fork:
		return e.stepFork(ctx, s, a)
	case *plan.Inject:
		return e.stepInject(ctx, s, a)
	case *plan.RPC:
		return e.stepRPC(ctx, s, a)
	case *plan.Exec, *plan.Write, *plan.Edit:
		return e.stepFiles(ctx, s)
	case *plan.Together:
		return e.stepTogether(ctx, s, a)
	case *plan.Expire:
		return e.stepExpire(a)
	case *plan.ExpectNow:
		return e.stepExpect(a)
	}
	return fmt.Errorf("the step %s is not known", s.Action.Name())
}

// stepTogether issues steps in order; none of them may wait, which the plan has
// made sure of.
func (e *Env) stepTogether(ctx context.Context, outer plan.Step, a *plan.Together) error {
	for _, s := range inner(outer, a) {
		if err := e.take(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// inner are the steps of a together, with indices that no other step has.
func inner(outer plan.Step, a *plan.Together) []plan.Step {
	steps := slices.Clone(a.Steps)
	for i := range steps {
		steps[i].Index = outer.Index + manySteps*(i+1)
	}
	return steps
}

// manySteps is more than a file has.
const manySteps = 1_000_000

// stepExpire lets a guard of the manager or the adapter run out now.
func (e *Env) stepExpire(a *plan.Expire) error {
	if !e.clock.expire(a.Timer) {
		return fmt.Errorf("no guard named %q is running", a.Timer)
	}
	return nil
}

// title is how a step is named in goldens and reports.
func title(s plan.Step) string {
	text := s.Action.Name()
	switch a := s.Action.(type) {
	case *plan.Run:
		text += " " + strconv.Quote(short(a.Text))
	case *plan.Send:
		text += " " + strconv.Quote(short(a.Text))
	case *plan.Await:
		text += " " + awaited(a)
	case *plan.Release:
		text += " " + a.Gate
	case *plan.Expire:
		text += " " + a.Timer
	case *plan.RPC:
		text += " " + a.Method
	case *plan.Restart:
		text += " " + a.What
	}
	if s.Agent != "main" {
		text += " (" + s.Agent + ")"
	}
	return text
}

func short(text string) string {
	const most = 40
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// sections groups the steps by what a golden can tell apart. A section ends
// with a step that leaves everything settled; what happens after a step that
// does not wait may show in the next one, so the two share a section. The plan
// alone decides that, never the run.
func sections(steps []plan.Step, ends func(plan.Step) bool) map[int]string {
	starts := map[int]string{}
	var open []string
	first := 0
	for i, s := range steps {
		if len(open) == 0 {
			first = i + 1
		}
		open = append(open, fmt.Sprintf("%d %s", i+1, title(s)))
		if ends(s) || i == len(steps)-1 {
			starts[first] = "step " + strings.Join(open, ", ")
			open = nil
		}
	}
	return starts
}

// endsSection says which steps end a section of the plan's golden. What a program
// prints while it runs may come late; all of it is there only when it has ended.
func endsSection(p *plan.Plan) func(plan.Step) bool {
	if k := p.Subject.Kind; k != "exec" && k != "command" {
		return settles
	}
	return func(s plan.Step) bool {
		_, settle := s.Action.(*plan.Settle)
		return settles(s) && !settle
	}
}

// settles reports whether all is settled when the step is done.
func settles(s plan.Step) bool {
	switch a := s.Action.(type) {
	case *plan.Run, *plan.Settle, *plan.Restart, *plan.Kill, *plan.Close, *plan.Resume, *plan.Fork:
		return true
	case *plan.Await:
		return a.State == "idle" || a.State == "error"
	}
	return false
}

// begin marks in the log that a step is under way.
func (e *Env) begin(index int, title string) {
	e.log.Append("", eventlog.StepBegan{Index: index, Title: title})
}
