package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/report"
	"github.com/heldstream/heldstream/internal/filewatch"
)

// watch plays everything, and then again each scenario that changes, or that
// includes what changes, until ctx ends.
func watch(ctx context.Context, s streams, f *flags, paths []string) error {
	w, err := filewatch.New()
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }() // nothing is lost with it
	known := map[string][32]byte{}
	for {
		// Watched first: what changes while it is read and played is seen next.
		if err := w.Add(append(folders(paths), slices.Concat(slices.Collect(maps.Values(harness.Sources(paths)))...)...)...); err != nil {
			return err
		}
		if changed := changes(known, paths); len(changed) > 0 {
			say(s, play(ctx, s, f, changed))
			f.outputs.variants = nil
			fmt.Fprintln(s.err, "watching; Ctrl-C ends it")
		}
		if err := w.Next(ctx); ctx.Err() != nil {
			return &exit{code: report.ExitInterrupted}
		} else if err != nil {
			return err
		}
	}
}

// say prints an error that a single run would end with.
func say(s streams, err error) {
	if err != nil && err.Error() != "" {
		fmt.Fprintln(s.err, err)
	}
}

// folders are the folders among paths with those in them, where new scenarios
// can come.
func folders(paths []string) []string {
	var all []string
	for _, p := range paths {
		_ = filepath.WalkDir(p, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				all = append(all, name)
			}
			return nil // what cannot be read is said when it is played
		})
	}
	return all
}

// changes notes in known what the scenarios are now, and returns those that are
// new or otherwise than before. A file that is empty is being written.
func changes(known map[string][32]byte, paths []string) []string {
	var changed []string
	sources := harness.Sources(paths)
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		sum := sha256.New()
		empty := false
		for _, source := range sources[name] {
			data, err := os.ReadFile(source)
			fmt.Fprintln(sum, source, len(data), err == nil)
			sum.Write(data)
			empty = empty || err == nil && len(data) == 0
		}
		now := [32]byte(sum.Sum(nil))
		if empty || known[name] == now {
			continue
		}
		known[name] = now
		changed = append(changed, name)
	}
	return changed
}
