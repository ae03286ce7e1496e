package harness

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/judge"
)

// condition says how what is waited for stands, and what is missing.
type condition func() (judge.Answer, string)

// await waits until a condition over the log is met. It ends at once when the
// condition cannot be met any more: because it says so, or because everything
// has settled without it and only this step could go on.
func (e *Env) await(ctx context.Context, cond condition) error {
	settled := false
	err := e.told(e.log.Wait(ctx, func([]eventlog.Event) (bool, error) {
		answer, missing := cond()
		switch {
		case answer == judge.Met:
			// What was read before is to be dealt with first, or the next step
			// would race with it.
			return e.run.Work == 0, nil
		case answer == judge.Never:
			return false, fmt.Errorf("cannot be met any more: %s", missing)
		case e.run.Unsettled() == "":
			settled = true
			return false, fmt.Errorf("cannot be met any more, everything has settled: %s%s", missing, e.whoDied())
		}
		return false, e.stalled()
	}))
	if open := e.undone(); settled && open != "" {
		err = fmt.Errorf("%w; %s", err, strings.ReplaceAll(open, "\n", "; "))
	}
	return err
}

// settle waits until everything that can happen has happened.
func (e *Env) settle(ctx context.Context) error {
	err := e.told(e.log.Wait(ctx, func([]eventlog.Event) (bool, error) {
		if e.run.Unsettled() == "" {
			return true, nil
		}
		return false, e.stalled()
	}))
	if err == nil {
		e.log.Append("", eventlog.Settled{})
	}
	return err
}

// whoDied names a codex that is gone, since that mostly is why nothing more comes.
func (e *Env) whoDied() string {
	for _, name := range e.run.Order {
		if a := e.run.Agents[name]; a.Exit != nil {
			return fmt.Sprintf("; the codex of agent %s has exited (%s)", name, exitText(*a.Exit))
		}
	}
	return ""
}

// undone names the calls that a manager of somebody else's has left open, if
// nothing worse is known of it.
func (e *Env) undone() string {
	m, ok := e.subject.(*foreign)
	if !ok || e.troubled() {
		return ""
	}
	return m.undone()
}

func (e *Env) troubled() (yes bool) {
	e.log.View(func([]eventlog.Event) { yes = len(e.run.Troubles) > 0 })
	return yes
}

func exitText(x eventlog.Exited) string {
	if x.Signal != "" {
		return "signal " + x.Signal
	}
	return fmt.Sprintf("code %d", x.Code)
}

// within bounds a wait; 0 is no bound of its own.
func within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, d, fmt.Errorf("not within %s", d))
}
