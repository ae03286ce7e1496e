package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/golden"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
	"github.com/heldstream/heldstream/harness/report/html"
)

func diffCommand(s streams) *cobra.Command {
	var f flags
	var versions []string
	var page string
	c := &cobra.Command{
		Use:   "diff FILE --codex A --codex B",
		Short: "Show how a scenario goes with two versions of codex; exits 1 when they differ",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(versions) != 2 {
				return errors.New("name two versions: --codex A --codex B")
			}
			return diff(c.Context(), s, &f, args, versions, page)
		},
	}
	f.addSelection(c)
	c.Flags().StringArrayVar(&versions, "codex", nil, "a `VERSION`; give it twice")
	c.Flags().StringVar(&page, "html", "", "write both runs beside each other to `FILE`")
	return c
}

// side is one version's run of all variants.
type side struct {
	version  string
	plans    []*plan.Plan
	outcomes []harness.Outcome
}

func diff(ctx context.Context, s streams, f *flags, paths, versions []string, page string) error {
	var sides []side
	for _, v := range versions {
		one, err := f.side(ctx, s, paths, v)
		if err != nil {
			return err
		}
		sides = append(sides, one)
	}
	differs := false
	for _, pair := range pairs(sides[0], sides[1]) {
		out, other := pair[0], pair[1]
		left, right := outcome(out.Result), outcome(other.Result)
		var changed golden.Difference
		if out.Result.Verdict != report.Skip && other.Result.Verdict != report.Skip {
			changed = golden.Compare(out.Golden, other.Golden)
		}
		differs = differs || left != right || !changed.Empty()
		fmt.Fprintf(s.out, "%s\n  %s: %s\n  %s: %s\n%s", report.Visible(title(out.Result, other.Result)),
			versions[0], left, versions[1], right, changed.Full())
	}
	if page != "" {
		err := writeFile(page, func(w io.Writer) error { return html.Diff(w, pageOf(sides[0]), pageOf(sides[1])) })
		if err != nil {
			return err
		}
	}
	if differs {
		return &exit{code: report.ExitBad}
	}
	return nil
}

// absent is what a variant comes to with a version for which the scenario leaves
// it out.
var absent = harness.Outcome{Result: report.Result{Verdict: report.Skip, Reason: "the scenario has no such variant for it"}}

// pairs puts the outcomes of each variant beside each other: an [[exclude]] can
// leave one out on either side.
func pairs(left, right side) [][2]harness.Outcome {
	var all [][2]harness.Outcome
	for _, out := range left.outcomes {
		other := absent
		if i := right.index(out); i >= 0 {
			other = right.outcomes[i]
		}
		all = append(all, [2]harness.Outcome{out, other})
	}
	for _, out := range right.outcomes {
		if left.index(out) < 0 {
			all = append(all, [2]harness.Outcome{absent, out})
		}
	}
	return all
}

// index is where the outcome of the same variant stands, -1 for nowhere.
func (s side) index(of harness.Outcome) int {
	return slices.IndexFunc(s.outcomes, func(o harness.Outcome) bool { return key(o.Result) == key(of.Result) })
}

// title is the scenario and variant of a pair.
func title(left, right report.Result) string {
	r := left
	if r.Scenario == "" {
		r = right
	}
	return strings.TrimSpace(r.Scenario + " " + r.Variant.String())
}

func pageOf(s side) html.Report {
	r := html.Report{Name: s.version}
	for _, o := range s.outcomes {
		r.Elapsed += o.Result.Duration
		r.Variants = append(r.Variants, html.Variant{Result: o.Result, Events: o.Events})
	}
	return r
}

// side plays the selected variants with one version, one after the other.
func (f *flags) side(ctx context.Context, s streams, paths []string, version string) (side, error) {
	f.codex = version
	job, err := prepare(s, f, paths)
	if err != nil {
		return side{}, err
	}
	one := side{version: version, plans: job.plans}
	for _, p := range job.plans {
		one.outcomes = append(one.outcomes, job.runner.Play(ctx, p))
	}
	return one, ctx.Err()
}

// outcome is what a variant came to, in a line: the verdict and what failed, or
// why there is none.
func outcome(r report.Result) string {
	if r.Verdict == report.Skip {
		return "skip: " + report.Visible(r.Reason)
	}
	if f := failed(r); f != "" {
		return fmt.Sprintf("%s (%s)", r.Verdict, f)
	}
	return string(r.Verdict)
}

// failed names what failed, whatever the scenario knows of it.
func failed(r report.Result) string {
	var fails []string
	for _, failure := range r.Failures {
		fails = append(fails, failure.What)
	}
	return strings.Join(fails, ", ")
}
