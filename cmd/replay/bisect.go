package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/report"
	"github.com/heldstream/heldstream/internal/codexbin"
)

func bisectCommand(s streams) *cobra.Command {
	var f flags
	var good, bad string
	var keep bool
	c := &cobra.Command{
		Use:   "bisect FILE --good VERSION --bad VERSION",
		Short: "Find the version of codex that changed how a scenario goes",
		Long: `bisect plays a scenario with versions between two that npm lists, and names the
one from which on it comes to something else. It says beforehand what it brings,
and removes it afterwards unless --keep is given.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if good == "" || bad == "" {
				return errors.New("name both ends: --good VERSION --bad VERSION")
			}
			b := &bisection{s: s, f: &f, paths: args, keep: keep}
			return b.run(c.Context(), good, bad)
		},
	}
	f.addSelection(c)
	c.Flags().StringVar(&good, "good", "", "a `VERSION` with the first outcome")
	c.Flags().StringVar(&bad, "bad", "", "a `VERSION` with the other")
	c.Flags().BoolVar(&keep, "keep", false, "keep the versions that were brought")
	return c
}

type bisection struct {
	s     streams
	f     *flags
	paths []string
	keep  bool
	store *codexbin.Store
}

func (b *bisection) run(ctx context.Context, good, bad string) error {
	store, err := codexbin.Open(io.Discard)
	if err != nil {
		return err
	}
	b.store = store
	versions, err := between(ctx, store, good, bad)
	if err != nil {
		return err
	}
	most := bits.Len(uint(len(versions))) + 2
	fmt.Fprintf(b.s.err, "%d versions from %s to %s: npm brings at most %d of them, up to 400 MB each, into %s\n",
		len(versions), versions[0], versions[len(versions)-1], most, store.Dir)
	found, err := harness.Bisect(versions, func(v string) (string, error) { return b.probe(ctx, v) })
	if err != nil {
		return err
	}
	if len(found.Skipped) > 0 {
		fmt.Fprintf(b.s.out, "changed after %s, and by %s at the latest; %s have no binary here\n", found.Last, found.First, strings.Join(found.Skipped, ", "))
		return nil
	}
	fmt.Fprintf(b.s.out, "changed with %s; %s is the last as before\n", found.First, found.Last)
	return nil
}

// between lists the versions from one end to the other, oldest first whichever
// way round they were named.
func between(ctx context.Context, store *codexbin.Store, good, bad string) ([]string, error) {
	all, err := store.Versions(ctx)
	if err != nil {
		return nil, err
	}
	lo, hi := good, bad
	if codexbin.CompareVersions(lo, hi) > 0 {
		lo, hi = hi, lo
	}
	i, j := slices.Index(all, lo), slices.Index(all, hi)
	switch {
	case i < 0:
		return nil, fmt.Errorf("npm lists no codex %s", lo)
	case j < 0:
		return nil, fmt.Errorf("npm lists no codex %s", hi)
	}
	return all[i : j+1], nil
}

// probe brings a version if it is not there, and plays the scenario with it.
func (b *bisection) probe(ctx context.Context, version string) (string, error) {
	_, err := b.store.Path(version)
	brought := err != nil
	if _, err := b.store.Install(ctx, version); err != nil {
		var none *codexbin.NoBinary
		if errors.As(err, &none) {
			fmt.Fprintf(b.s.err, "%s: has no binary here\n", version)
			return "", harness.ErrNoBinary
		}
		return "", err
	}
	one, err := b.f.side(ctx, b.s, b.paths, version)
	if brought && !b.keep {
		err = errors.Join(err, b.store.Remove(version))
	}
	var all []string
	for _, o := range one.outcomes {
		all = append(all, strings.TrimSpace(o.Result.Variant.String()+" "+behavior(o.Result)))
	}
	fmt.Fprintf(b.s.err, "%s: %s\n", version, strings.Join(all, "; "))
	return strings.Join(all, "; "), err
}

// behavior is what a variant came to, but for what the file knows of each
// version: a known failure of one is a plain one of the next.
func behavior(r report.Result) string {
	if r.Verdict == report.Error || r.Verdict == report.Skip {
		return string(r.Verdict) + ": " + r.Reason
	}
	return "fails: " + or(failed(r), "nothing")
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
