package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/report"
)

func showCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "show FILE|FOLDER ...",
		Short: "Print scenarios as they are understood, with their goldens; runs nothing",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			_, plans, err := understood(s, args)
			if err != nil {
				return err
			}
			for _, p := range plans {
				harness.Show(s.out, p)
				if data, err := os.ReadFile(harness.GoldenFile(p)); err == nil {
					fmt.Fprintln(s.out)
					for line := range strings.Lines(string(data) + "\n") { // whoever wrote it
						fmt.Fprintln(s.out, report.Visible(strings.TrimSuffix(line, "\n")))
					}
				}
			}
			return nil
		},
	}
}
