package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
	"github.com/heldstream/heldstream/internal/codexbin"
)

func updateCommand(s streams) *cobra.Command {
	var f flags
	var tape, stale bool
	c := &cobra.Command{
		Use:   "update FILE|FOLDER ...",
		Short: "Play scenarios and write what they did as their goldens (each from two runs that must do the same) or tapes",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case stale && !tape:
				return &exit{report.ExitUsage, "--stale is about tapes; write --tape --stale"}
			case stale:
				return update(c.Context(), s, &f, args, "tapes", updateStale)
			case tape:
				return update(c.Context(), s, &f, args, "tapes", updateTape)
			}
			return update(c.Context(), s, &f, args, "goldens", updateGolden)
		},
	}
	f.add(c)
	c.Flags().BoolVar(&tape, "tape", false, "record tapes, each from three live runs that must do the same")
	c.Flags().BoolVar(&stale, "stale", false, "with --tape: only those that are missing or of another scenario than the file's")
	return c
}

// updater plays a variant and writes what it did; it returns what changed.
type updater func(context.Context, *harness.Runner, *plan.Plan) (string, report.Result)

func updateGolden(ctx context.Context, r *harness.Runner, p *plan.Plan) (string, report.Result) {
	out := r.Twice(ctx, p)
	if ctx.Err() != nil {
		return "", report.Result{} // one run of two is none
	}
	if res := out.Result; res.Verdict != report.Pass && res.Verdict != report.KnownFailure {
		return "", res
	}
	changed, err := harness.UpdateGolden(p, out, codexbin.Default)
	return changed, unlessFailed(out.Result, err)
}

func updateTape(ctx context.Context, r *harness.Runner, p *plan.Plan) (string, report.Result) {
	t, res := r.Record(ctx, p)
	if t == nil {
		return "", res
	}
	changed, err := harness.UpdateTape(p, t, codexbin.Default)
	return changed, unlessFailed(res, err)
}

// updateStale leaves the tapes alone that can be played.
func updateStale(ctx context.Context, r *harness.Runner, p *plan.Plan) (string, report.Result) {
	if _, err := harness.LoadTape(p, p.Codex.Version, codexbin.Default); err == nil {
		return "", report.Result{Scenario: harness.ScenarioName(p.File), File: p.File, Verdict: report.Pass}
	}
	return updateTape(ctx, r, p)
}

func unlessFailed(res report.Result, err error) report.Result {
	if err != nil {
		res.Verdict, res.Reason = report.Error, err.Error()
	}
	return res
}

// sorted are the texts of a closed channel in the order of the file names that
// they begin with, whichever came first.
func sorted(texts <-chan string) []string {
	var all []string
	for text := range texts {
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

// besides is what else became of an update, for the end of its last line.
func besides(skips int, interrupted bool) string {
	text := ""
	if skips > 0 {
		text += fmt.Sprintf(", %d skipped", skips)
	}
	if interrupted {
		text += "; interrupted: the rest is as it was"
	}
	return text
}

// update plays each variant and writes what it did. A variant that is not as
// its file says gets nothing written: mend the file first.
func update(ctx context.Context, s streams, f *flags, paths []string, what string, write updater) error {
	job, err := prepare(s, f, paths)
	if err != nil {
		return err
	}
	changes := make(chan string, len(job.plans))
	suite := &harness.Suite{Jobs: f.jobs, Play: func(ctx context.Context, p *plan.Plan) report.Result {
		changed, res := write(ctx, job.runner, p)
		changes <- changed
		return res
	}}
	results := suite.Run(ctx, job.plans)
	close(changes)
	print := printer(s, f, len(job.plans))
	skips := 0
	for _, r := range results {
		if r.Verdict == report.Skip {
			skips++
		}
		if r.Verdict.Bad() || r.Verdict == report.Skip {
			print.result(r)
		}
	}
	n := 0
	for _, text := range sorted(changes) {
		if text != "" {
			n++
			fmt.Fprint(s.out, text)
		}
	}
	fmt.Fprintf(s.out, "%d of %d %s changed%s\n", n, len(job.plans), what, besides(skips, ctx.Err() != nil))
	all := report.Run{Results: results, Interrupted: ctx.Err() != nil}
	if code := all.ExitCode(false); code != report.ExitOK {
		return &exit{code: code}
	}
	return nil
}
