package harness

import (
	"fmt"
	"slices"

	"github.com/heldstream/heldstream/harness/report"
)

// notPlayed says which steps a failed one kept from being played.
type notPlayed struct {
	text    string // for people; "": all were played
	because string // the step that failed, as reports name it
}

func (e *Env) notPlayed(failed *stepError) notPlayed {
	if failed == nil || failed.step.Index >= len(e.plan.Steps) {
		return notPlayed{}
	}
	i, last := failed.step.Index, len(e.plan.Steps)
	steps := fmt.Sprintf("step %d (line %d) was", last, e.plan.Steps[i].Pos.Line)
	if i+1 < last {
		steps = fmt.Sprintf("steps %d-%d (from line %d) were", i+1, last, e.plan.Steps[i].Pos.Line)
	}
	return notPlayed{fmt.Sprintf("%s not played, because step %d failed", steps, i), fmt.Sprintf("step.%d", i)}
}

// followersLast puts what is a failure in itself before what may follow from one.
func followersLast(list []report.Failure) {
	slices.SortStableFunc(list, func(a, b report.Failure) int { return order(a) - order(b) })
}

func order(f report.Failure) int {
	if f.Follows != "" {
		return 1
	}
	return 0
}
