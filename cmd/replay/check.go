package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

func checkCommand(s streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "check FILE|FOLDER ...",
		Short: "Say everything about scenario files that can be known without running them",
		Long: `check prints every fault of every file, file:line:column: what, and the cure. It
runs nothing. Exit code 2 when there is an error, 0 when there are warnings only.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return check(s, args, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a fault on standard output")
	return c
}

func check(s streams, paths []string, asJSON bool) error {
	if asJSON {
		files, faults := harness.Load(paths)
		return checkJSON(s, append(faults, harness.CheckRecorded(paths, files)...))
	}
	files, plans, err := understood(s, paths)
	if err != nil {
		return err
	}
	if err := faulty(s, harness.CheckRecorded(paths, files)); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s, %s: no fault\n", report.Counted(len(files), "scenario"), report.Counted(len(plans), "variant"))
	return nil
}

// understood are the files and all of their variants, for who runs nothing.
func understood(s streams, paths []string) ([]*plan.File, []*plan.Plan, error) {
	files, faults := harness.Load(paths)
	if err := faulty(s, faults); err != nil {
		return nil, nil, err
	}
	plans, faults := harness.Select(files, harness.Filter{})
	return files, plans, faulty(s, faults)
}

func checkJSON(s streams, faults plan.Faults) error {
	for _, f := range faults {
		if err := report.WriteRemarkJSON(s.out, remark(f)); err != nil {
			return err
		}
	}
	return ofFaults(faults)
}
