package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/heldstream/heldstream/internal/codexbin"
)

// release is the version of a released binary, set by the linker; without it
// the binary says what it was built from.
var release string

func versionCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of replay and the codex that it is made for",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintf(s.out, "replay %s %s/%s %s, codex %s\n", ownVersion(), runtime.GOOS, runtime.GOARCH, runtime.Version(), codexbin.Default)
			return nil
		},
	}
}

func ownVersion() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "(unknown)"
}
