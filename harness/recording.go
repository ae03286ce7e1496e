package harness

import (
	"context"
	"errors"
	"fmt"

	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/harness/golden"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

// recordings is how many live runs must do the same before a tape is kept.
const recordings = 3

// Record plays a variant live several times and returns its tape. Runs whose
// lanes differ give none: the result says where. A run that codex itself spoilt
// is played again and never taped.
func (r *Runner) Record(ctx context.Context, p *plan.Plan) (*tape.Tape, report.Result) {
	which, err := r.find(p)
	if err != nil {
		return nil, skipped(p, err)
	}
	if which.Mode != "live" {
		return nil, skipped(p, fmt.Errorf("a tape is recorded from a live codex, not from a %s", which.Mode))
	}
	if why := LiveOnly(p); why != "" {
		return nil, skipped(p, errors.New(why))
	}
	which.Record = true
	var first *tape.Tape
	for i := range recordings {
		out := r.play(ctx, p, which)
		if ctx.Err() != nil && out.Result.Verdict.Bad() {
			return nil, report.Result{} // nobody can tell what it would have come to
		}
		if res := out.Result; res.Verdict != report.Pass && res.Verdict != report.KnownFailure {
			return nil, res
		}
		if i == 0 {
			first = out.tape
		} else if d := tape.Compare(first, out.tape); len(d) > 0 {
			return nil, unlike(out.Result, i+1, d)
		}
		if i == recordings-1 {
			return first, out.Result
		}
	}
	return nil, report.Result{}
}

func unlike(res report.Result, run int, d []tape.Difference) report.Result {
	res.Verdict = report.Error
	res.Reason = fmt.Sprintf("no tape: run %d did something else than the first, in %s", run, report.Counted(len(d), "lane"))
	for i, one := range d {
		if i == 5 {
			break
		}
		res.Reason += "\n" + one.String()
	}
	return res
}

// UpdateTape writes a tape beside its variant's golden. A file whose lanes are
// equal stays as it is. It returns what changed, "" for nothing.
func UpdateTape(p *plan.Plan, t *tape.Tape, usual string) (string, error) {
	version := ""
	if t.Head.Codex != usual {
		version = t.Head.Codex
	}
	file := tapeFile(p, version)
	text := file + ": new\n"
	if old, err := readTape(file); err == nil {
		d := tape.Compare(old, t)
		if len(d) == 0 {
			return "", nil
		}
		text = fmt.Sprintf("%s: changed\n", file)
		for _, one := range d {
			text += one.String() + "\n"
		}
	}
	data, err := tape.Format(t)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	if _, err := tape.Parse(data); err != nil {
		return "", fmt.Errorf("%s: what was recorded could not be read back: %w", file, err)
	}
	return text, golden.Replace(file, data)
}
