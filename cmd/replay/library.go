package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/heldstream/heldstream/golden"
	"github.com/heldstream/heldstream/scenarios"
)

func libraryCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "library FOLDER",
		Short: "Write the library of scenarios, with goldens and tapes, into a new folder",
		Long: `library writes the scenarios that this binary was made with, and their goldens and
tapes, into a folder: to play them, from tape without a codex, and to begin your
own with one of them.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return writeLibrary(s, args[0]) },
	}
}

func writeLibrary(s streams, folder string) error {
	parts := []struct {
		dir   string
		files fs.FS
	}{
		{filepath.Join(folder, "scenarios"), scenarios.Files},
		{filepath.Join(folder, "golden"), golden.Files},
	}
	for _, p := range parts {
		if _, err := os.Lstat(p.dir); err == nil {
			return fmt.Errorf("%s is there already; name a new folder", p.dir)
		}
	}
	for _, p := range parts {
		if err := os.CopyFS(p.dir, p.files); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.out, "%s: written; `replay run --codex tape %s` plays it without a codex\n", folder, filepath.Join(folder, "scenarios"))
	return nil
}
