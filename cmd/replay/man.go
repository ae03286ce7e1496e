//go:build man

package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func init() { extra = append(extra, manCommand) }

// manCommand writes the man pages of the commands. Only who packages replay
// has a use for it, and what it takes would make each start slower: so it is
// in builds with the tag man.
func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Short:  "Write the man pages",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			root := c.Root()
			root.DisableAutoGenTag = true
			// A page has a date, and two builds the same bytes.
			never := time.Unix(0, 0).UTC()
			return doc.GenManTree(root, &doc.GenManHeader{Title: "REPLAY", Section: "1", Date: &never, Source: "Heldstream"}, args[0])
		},
	}
}
