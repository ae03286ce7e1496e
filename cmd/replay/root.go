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
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%s: %w; `%s --help` lists the flags", c.CommandPath(), err, c.CommandPath())
	})
	tellUse(root)
	return root
}

// tellUse has each command name itself, and its use, when it is called with the
// wrong number of arguments.
func tellUse(c *cobra.Command) {
	if count := c.Args; count != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if err := count(c, args); err != nil {
				return fmt.Errorf("%s: %w; write %s", c.CommandPath(), err, c.UseLine())
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		tellUse(sub)
	}
}
