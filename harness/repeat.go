package harness

import (
	"context"
	"fmt"

	"github.com/heldstream/heldstream/harness/golden"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

// Repeat plays a variant n times and compares each run with its golden. All
// runs must agree: one that comes to another verdict, or did something else than
// the first, fails the variant and shows what differs.
func (r *Runner) Repeat(ctx context.Context, p *plan.Plan, n int) Outcome {
	first := r.Play(ctx, p)
	first.Result = r.repeat(ctx, p, n, first)
	return first
}

func (r *Runner) repeat(ctx context.Context, p *plan.Plan, n int, first Outcome) report.Result {
	res := CheckGolden(p, first)
	for i := 2; i <= n && !res.Verdict.Bad() && ctx.Err() == nil; i++ {
		out := r.Play(ctx, p)
		again := CheckGolden(p, out)
		res.Spoilt += again.Spoilt
		res.Duration += again.Duration
		difference := golden.Compare(first.Golden, out.Golden)
		switch {
		case again.Verdict != res.Verdict:
			again.Spoilt, again.Duration = res.Spoilt, res.Duration
			again.Notes = append(again.Notes, fmt.Sprintf("run %d of %d came to another verdict than the first (%s)", i, n, res.Verdict))
			return again
		case !difference.Empty():
			return disagrees(res, i, n, difference)
		}
	}
	if n > 1 {
		res.Notes = append(res.Notes, fmt.Sprintf("%d runs, one outcome", n))
	}
	return res
}

func disagrees(res report.Result, i, n int, d golden.Difference) report.Result {
	res.Verdict = report.Fail
	res.Failures = append(res.Failures, report.Failure{
		File: res.File, What: "repeat", Want: fmt.Sprintf("%d runs that do the same", n),
		Got: fmt.Sprintf("run %d did something else than the first", i), Detail: d.String(),
	})
	return res
}
