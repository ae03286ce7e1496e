package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/heldstream/heldstream/harness/report"
	"github.com/heldstream/heldstream/internal/codexbin"
)

type streams struct{ out, err io.Writer }

// exit is an error that carries its exit code. An empty text was said already.
type exit struct {
	code int
	text string
}

func (e *exit) Error() string { return e.text }

// run is the command: arguments in, exit code out.
func run(ctx context.Context, args []string, s streams) int {
	root := command(s)
	root.SetArgs(args)
	root.SetOut(s.out)
	root.SetErr(s.err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return report.ExitOK
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(s.err, text)
	}
	return code(ctx, err)
}

// code is the exit code of an error; one that nobody thought of is a usage error.
func code(ctx context.Context, err error) int {
	var lacking *codexbin.NotFound
	var known *exit
	switch {
	case ctx.Err() != nil:
		return report.ExitInterrupted
	case errors.As(err, &known):
		return known.code
	case errors.As(err, &lacking):
		return report.ExitLacking
	}
	return report.ExitUsage
}

// extra are commands that builds with tags have.
var extra []func() *cobra.Command

func command(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "replay",
		Short: "Play scenario files against codex, deterministically",
		Long: `replay plays scenario files: what a fake model answers, what happens to an agent,
and what must be true afterwards. It plays them against the real codex binary
through a complete agent manager, the same way each time.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(
		runCommand(s), checkCommand(s), updateCommand(s), showCommand(s), newCommand(s), libraryCommand(s), serveCommand(s),
		schemaCommand(s), diffCommand(s), bisectCommand(s), machineCommand(s), codexCommand(s), versionCommand(s),
	)
	for _, command := range extra {
		root.AddCommand(command())
	}
	root.SetHelpCommand(helpCommand(s))
	return root
}
