package harness

import (
	"context"
	"fmt"

	"github.com/heldstream/heldstream/harness/judge"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/mockprovider"
)

// stepRelease waits until something stands at the gate and lets it go on. A gate
// that is to stay open needs nobody at it.
func (e *Env) stepRelease(ctx context.Context, a *plan.Release) error {
	if !a.Open {
		err := e.await(ctx, func() (judge.Answer, string) {
			return met(e.held(a.Gate) > 0), fmt.Sprintf("nothing is held at gate %q", a.Gate)
		})
		if err != nil {
			return err
		}
	}
	n := e.wire.Release(a.Gate, e.agentIDs()[a.Agent], a.Nth, a.Open) + e.holds.release(a.Gate)
	n += e.provider.Release(mockprovider.Release{Gate: a.Gate, Agent: a.Agent, Nth: a.Nth, Open: a.Open, With: a.With})
	if n == 0 && !a.Open {
		return fmt.Errorf("nothing at gate %q is what the step names (agent %q, nth %d)", a.Gate, a.Agent, a.Nth)
	}
	return nil
}
