package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
	"github.com/heldstream/heldstream/internal/codexbin"
)

func updateCommand(s streams) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "update FILE|FOLDER ...",
		Short: "Play scenarios and write what they did as their goldens",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return update(c.Context(), s, &f, args)
		},
	}
	f.add(c)
	return c
}

// update plays each variant once. A variant that is not as its file says gets
// no golden: mend the file first.
func update(ctx context.Context, s streams, f *flags, paths []string) error {
	job, err := prepare(s, f, paths)
	if err != nil {
		return err
	}
	var changes = make(chan string, len(job.plans))
	suite := &harness.Suite{Jobs: f.jobs, Play: func(ctx context.Context, p *plan.Plan) report.Result {
		out := job.runner.Play(ctx, p)
		if res := out.Result; res.Verdict != report.Pass && res.Verdict != report.KnownFailure {
			return res
		}
		changed, err := harness.UpdateGolden(p, out, codexbin.Default)
		if err != nil {
			out.Result.Verdict, out.Result.Reason = report.Error, err.Error()
		}
		changes <- changed
		return out.Result
	}}
	results := suite.Run(ctx, job.plans)
	close(changes)
	print := printer(s, f, len(job.plans))
	for _, r := range results {
		if r.Verdict.Bad() {
			print.result(r)
		}
	}
	n := 0
	for text := range changes {
		if text != "" {
			n++
			fmt.Fprint(s.out, text)
		}
	}
	fmt.Fprintf(s.out, "%d of %d goldens changed\n", n, len(job.plans))
	all := report.Run{Results: results, Interrupted: ctx.Err() != nil}
	if code := all.ExitCode(false); code != report.ExitOK {
		return &exit{code: code}
	}
	return nil
}
