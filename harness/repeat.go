package harness

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/harness/golden"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

// Repeat plays a variant n times and compares each run with its golden. All
// runs must agree: when one comes to another verdict, or did something else than
// the first, the variant fails and shows the first difference, and how often
// each lane differed.
func (r *Runner) Repeat(ctx context.Context, p *plan.Plan, n int) Outcome {
	return r.repeat(ctx, p, n, CheckGolden)
}

// Twice plays a variant twice, for who writes down what it does: the runs must
// agree with each other, whatever its golden says.
func (r *Runner) Twice(ctx context.Context, p *plan.Plan) Outcome {
	return r.repeat(ctx, p, 2, func(_ *plan.Plan, out Outcome) report.Result { return out.Result })
}

func (r *Runner) repeat(ctx context.Context, p *plan.Plan, n int, check func(*plan.Plan, Outcome) report.Result) Outcome {
	first := r.Play(ctx, p)
	first.Result = check(p, first)
	t := newTally(first)
	for t.runs < n && first.Result.Verdict != "" {
		out := r.Play(ctx, p)
		out.Result = check(p, out)
		if out.Result.Verdict == "" {
			break
		}
		t.add(out)
	}
	out := t.worst // the log tells of the run whose result is shown
	out.Result = t.result(n)
	return out
}

// tally compares runs of one variant with the first.
type tally struct {
	first    Outcome
	runs     int
	verdicts map[report.Verdict]int
	differ   int            // runs that did something else
	lanes    map[string]int // runs in which a lane differed
	at       int            // the first run that differs; 0: none
	shown    golden.Difference
	worst    Outcome // the first bad run, else the first
}

func newTally(first Outcome) *tally {
	return &tally{first: first, runs: 1, verdicts: map[report.Verdict]int{first.Result.Verdict: 1}, lanes: map[string]int{}, worst: first}
}

func (t *tally) add(out Outcome) {
	t.runs++
	t.verdicts[out.Result.Verdict]++
	t.first.Result.Spoilt += out.Result.Spoilt
	t.first.Result.Duration += out.Result.Duration
	if !t.worst.Result.Verdict.Bad() && out.Result.Verdict.Bad() {
		t.worst = out
	}
	d := golden.Compare(t.first.Golden, out.Golden)
	if d.Empty() && out.Result.Verdict == t.first.Result.Verdict {
		return
	}
	t.differ++
	if t.at == 0 {
		t.at, t.shown = t.runs, d
	}
	for _, l := range d.Lanes {
		t.lanes[l.Section+", lane "+l.Lane]++
	}
}

// result is the first bad run's if there is one, with what all came to.
func (t *tally) result(n int) report.Result {
	res := t.worst.Result
	res.Spoilt, res.Duration = t.first.Result.Spoilt, t.first.Result.Duration
	switch {
	case t.differ > 0:
		res = t.disagree(res)
	case n > 1:
		res.Notes = append(res.Notes, fmt.Sprintf("%d runs, one outcome", t.runs))
	}
	if t.runs < n && t.runs > 1 {
		res.Notes = append(res.Notes, fmt.Sprintf("interrupted: %d of %d runs were played", t.runs, n))
	}
	return res
}

func (t *tally) disagree(res report.Result) report.Result {
	if !res.Verdict.Bad() {
		res.Verdict = report.Fail
	}
	res.Failures = append(slices.Clone(res.Failures), report.Failure{
		File: res.File, What: "repeat", Want: fmt.Sprintf("%d runs that do the same", t.runs),
		Got:    fmt.Sprintf("%d of them %s from the first; verdicts: %s", t.differ, differ(t.differ), t.counts()),
		Detail: t.lanesThatDiffer() + t.firstDifference(),
	})
	return res
}

func differ(n int) string {
	if n == 1 {
		return "differs"
	}
	return "differ"
}

func (t *tally) counts() string {
	var all []string
	for _, v := range slices.Sorted(maps.Keys(t.verdicts)) {
		all = append(all, fmt.Sprintf("%d %s", t.verdicts[v], v))
	}
	return strings.Join(all, ", ")
}

// lanesThatDiffer lists lanes, those that differ most often first.
func (t *tally) lanesThatDiffer() string {
	names := slices.SortedFunc(maps.Keys(t.lanes), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.lanes[b], t.lanes[a]), cmp.Compare(a, b))
	})
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "differs in %d of %d: %s\n", t.lanes[name], t.runs, name)
	}
	return b.String()
}

func (t *tally) firstDifference() string {
	if t.shown.Empty() {
		return fmt.Sprintf("run %d is the first that came to another verdict, and its lanes are as the first run's", t.at)
	}
	return fmt.Sprintf("run %d is the first that differs (-: the first run):\n%s", t.at, t.shown.String())
}
