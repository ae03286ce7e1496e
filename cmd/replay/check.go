package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/report"
)

func checkCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE|FOLDER ...",
		Short: "Say everything about scenario files that can be known without running them",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			files, faults := harness.Load(args)
			if err := faulty(s.err, faults); err != nil {
				return err
			}
			plans, faults := harness.Select(files, harness.Filter{})
			if err := faulty(s.err, faults); err != nil {
				return err
			}
			for _, p := range plans {
				if p.IsScript() {
					return &exit{report.ExitUsage, p.File + ":1:1: this file has no step; `replay serve` takes it, or add a [[step]]"}
				}
			}
			fmt.Fprintf(s.out, "%d scenarios, %d variants: no fault\n", len(files), len(plans))
			return nil
		},
	}
}
