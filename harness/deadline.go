package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
)

// DefaultDeadline is how long a scenario may take that names no deadline.
const DefaultDeadline = 60 * time.Second

// errDeadline is the cause of a run's end when its time is up.
var errDeadline = errors.New("the deadline of the scenario has passed")

// errStopped is the cause of a run's end when its user ends it.
var errStopped = errors.New("interrupted")

func (r *Runner) deadline(p *plan.Plan) time.Duration {
	d := r.Deadline
	if d == 0 {
		d = DefaultDeadline
	}
	if p.Limits.Deadline > 0 {
		d = p.Limits.Deadline
	}
	if r.Slow > 0 {
		d = time.Duration(float64(d) * r.Slow)
	}
	return d
}

// withDeadline ends the context when the time of a run is up. The time counts
// from codex's first answer, since how long a binary takes to load says nothing
// about the scenario; a codex that never answers has as long.
func withDeadline(ctx context.Context, log *eventlog.Log, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	answered := false // under the log's lock, as the timer is
	over := func(after bool, from string) {
		log.Update(func() {
			if after == answered { // else codex has answered as the time ran out
				cancel(fmt.Errorf("%w: %s, %s", errDeadline, d, from))
			}
		})
	}
	timer := time.AfterFunc(d, func() { over(false, "codex has not answered at all") })
	log.Attach(func(ev eventlog.Event) {
		if _, ok := ev.Body.(eventlog.FromCodex); ok && !answered {
			answered = true
			timer.Stop()
			timer = time.AfterFunc(d, func() { over(true, "counted from codex's first answer") })
		}
	})
	return ctx, func() { log.View(func([]eventlog.Event) { timer.Stop() }); cancel(nil) }
}
