package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/heldstream/heldstream/harness/report"
	"github.com/heldstream/heldstream/internal/codexbin"
)

func codexCommand(s streams) *cobra.Command {
	c := &cobra.Command{Use: "codex", Short: "Install, list, find and remove codex binaries"}
	c.AddCommand(
		codexVerb(s, "install [VERSION]", "Bring a codex through npm into the cache folder", cobra.MaximumNArgs(1), install),
		codexVerb(s, "list", "List the installed versions", cobra.NoArgs, list),
		codexVerb(s, "path [VERSION]", "Print the path of the binary that a run would take", cobra.MaximumNArgs(1), path),
		codexVerb(s, "remove VERSION", "Remove an installed version", cobra.ExactArgs(1), remove),
	)
	return c
}

type verb func(c *cobra.Command, s streams, st *codexbin.Store, args []string) error

func codexVerb(s streams, use, short string, args cobra.PositionalArgs, do verb) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: func(c *cobra.Command, args []string) error {
		st, err := codexbin.Open(s.err)
		if err != nil {
			return err
		}
		return do(c, s, st, args)
	}}
}

func version1(args []string) string {
	if len(args) == 0 {
		return codexbin.Default
	}
	return args[0]
}

func install(c *cobra.Command, s streams, st *codexbin.Store, args []string) error {
	path, err := st.Install(c.Context(), version1(args))
	if err != nil {
		return &exit{report.ExitLacking, err.Error()}
	}
	fmt.Fprintln(s.out, path)
	return nil
}

func list(_ *cobra.Command, s streams, st *codexbin.Store, _ []string) error {
	versions, err := st.List()
	if err != nil {
		return err
	}
	if len(versions) == 0 {
		fmt.Fprintln(s.err, "none is installed; `replay codex install` brings "+codexbin.Default)
		return nil
	}
	for _, b := range versions {
		fmt.Fprintf(s.out, "%s\t%s\n", b.Version, b.Path)
	}
	return nil
}

func path(_ *cobra.Command, s streams, st *codexbin.Store, args []string) error {
	spec := "auto"
	if len(args) > 0 {
		spec = args[0]
	}
	b, err := st.Find(spec)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, b.Path)
	return nil
}

func remove(_ *cobra.Command, s streams, st *codexbin.Store, args []string) error {
	if err := st.Remove(args[0]); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "removed "+args[0])
	return nil
}
