package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heldstream/heldstream/agentcore/interact"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

// helpCommand explains commands, and the language of scenario files.
func helpCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Explain a command, or a part of the scenario language: " + strings.Join(plan.Topics(), ", "),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.Root().Help()
			}
			if found, _, err := c.Root().Find(args); err == nil && found != c.Root() {
				return found.Help()
			}
			text, err := plan.Help(strings.Join(args, " "))
			if err != nil {
				return err
			}
			fmt.Fprint(s.out, text)
			return nil
		},
	}
}

func schemaCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenario files, for editors",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintf(s.out, "%s\n", plan.Schema())
			return nil
		},
	}
}

func newCommand(s streams) *cobra.Command {
	var from string
	c := &cobra.Command{
		Use:   "new FILE",
		Short: "Write a scenario to start with; with --from, one that plays a recorded conversation",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := args[0]
			if !strings.HasSuffix(name, ".toml") {
				name += ".toml"
			}
			data, err := skeleton(name, from)
			if err != nil {
				return err
			}
			if err := writeNew(name, data); err != nil {
				return err
			}
			fmt.Fprintf(s.out, "%s: written; `replay run %s` plays it\n", name, name)
			return nil
		},
	}
	c.Flags().StringVar(&from, "from", "", "a codex rollout `FILE` (sessions/…/rollout-….jsonl)")
	return c
}

func skeleton(name, from string) ([]byte, error) {
	if from == "" {
		return plan.New(name), nil
	}
	in, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // it was only read
	return plan.FromRollout(in)
}

// writeNew writes a file that is not there yet.
func writeNew(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	switch {
	case errors.Is(err, os.ErrExist):
		return fmt.Errorf("%s is there already; choose another name, or remove it first", name)
	case err != nil:
		return err
	}
	if _, err := f.Write(data); err != nil {
		_ = f.Close() // the first fault counts
		return err
	}
	return f.Close()
}

func machineCommand(s streams) *cobra.Command {
	var explore bool
	var o interact.ExploreOptions
	c := &cobra.Command{
		Use:   "machine FILE",
		Short: "Play a transcript of the manager's state machine, or with --explore every order of it",
		Long:  "machine plays a transcript: inputs of the manager's state machine as lines of text,\nand below each what the machine does. The inputs:\n\n  " + strings.Join(interact.Usage(), "\n  "),
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			data, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			if explore {
				return exploreFile(s, args[0], data, o)
			}
			out, err := interact.Play(args[0], data)
			fmt.Fprintf(s.out, "%s", out)
			return err
		},
	}
	c.Flags().BoolVar(&explore, "explore", false, "play every order that keeps the lanes' own, and shrink one that fails")
	c.Flags().IntVar(&o.Orders, "orders", 0, "with --explore: at most `N` orders (100000)")
	c.Flags().Uint64Var(&o.Seed, "seed", 0, "with --explore: draw the orders with this `SEED`")
	return c
}

func exploreFile(s streams, name string, data []byte, o interact.ExploreOptions) error {
	x, err := interact.Explore(name, data, o)
	if err != nil {
		return err
	}
	how := "all of them"
	if !x.Complete {
		how = "not all"
	}
	fmt.Fprintf(s.err, "%d orders (%s), %d inputs, seed %d\n", x.Orders, how, x.Inputs, o.Seed)
	if x.Violation == nil {
		return nil
	}
	fmt.Fprintf(s.out, "%s", x.Transcript)
	return &exit{report.ExitBad, name + ": " + x.Violation.String()}
}
