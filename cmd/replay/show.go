package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/heldstream/heldstream/harness"
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
					fmt.Fprintf(s.out, "\n%s\n", data)
				}
			}
			return nil
		},
	}
}
