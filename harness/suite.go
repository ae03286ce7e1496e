package harness

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

// Filter says which variants of the scenarios are played.
type Filter struct {
	Run   *regexp.Regexp    // over "scenario variant"; nil: all
	Tags  []string          // a scenario with any of them; none: all
	Set   map[string]string // axes that have one value only
	Shard Shard
	Codex string // the version that is played
}

// Load reads scenario files. A folder stands for all *.toml files below it, but
// for those in folders named failing. All faults of all files come in one go.
func Load(paths []string) ([]*plan.File, plan.Faults) {
	var files []*plan.File
	var faults plan.Faults
	for _, file := range expandPaths(paths, &faults) {
		data, err := os.ReadFile(file)
		if err != nil {
			faults = append(faults, unreadable(file, err))
			continue
		}
		f, bad := plan.Parse(file, data, plan.OS)
		faults = append(faults, bad...)
		if f != nil {
			files = append(files, f)
		}
	}
	return withoutParts(files, paths, faults)
}

// withoutParts leaves out the files that others include, unless they are named
// themselves: they are parts of scenarios and none of their own.
func withoutParts(files []*plan.File, named []string, faults plan.Faults) ([]*plan.File, plan.Faults) {
	parts := map[string]bool{}
	for _, f := range files {
		for _, name := range f.Includes {
			parts[name] = !slices.Contains(named, name)
		}
	}
	files = slices.DeleteFunc(files, func(f *plan.File) bool { return parts[f.Name] })
	return files, slices.DeleteFunc(faults, func(f plan.Fault) bool { return f.Warning && parts[f.File] })
}

// Sources are the scenarios that paths stand for, each with the files that Load
// reads for it: itself and what it includes. One that cannot be read is among
// them; Load says why.
func Sources(paths []string) map[string][]string {
	var faults plan.Faults
	sources := map[string][]string{}
	for _, file := range expandPaths(paths, &faults) {
		data, _ := os.ReadFile(file) // it may be gone by now
		sources[file] = append(plan.Includes(file, data), file)
	}
	for _, f := range faults {
		sources[f.File] = []string{f.File}
	}
	for file, read := range sources {
		for _, part := range read[:len(read)-1] {
			if part != file && !slices.Contains(paths, part) {
				delete(sources, part)
			}
		}
	}
	return sources
}

func unreadable(file string, err error) plan.Fault {
	why := err.Error()
	if os.IsNotExist(err) {
		why = "there is no such file; check the path"
	}
	return plan.Fault{Pos: plan.Pos{File: file, Line: 1, Column: 1}, Message: why}
}

func expandPaths(paths []string, faults *plan.Faults) []string {
	var files []string
	for _, p := range paths {
		info, err := os.Stat(p)
		switch {
		case err != nil:
			*faults = append(*faults, unreadable(p, err))
		case !info.IsDir():
			files = append(files, p)
		default:
			files = append(files, below(p, faults)...)
		}
	}
	return once(files)
}

// once leaves out files that stand there already, under another spelling too:
// a variant is played once, and two runs never write one golden.
func once(files []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(files, func(file string) bool {
		at, err := filepath.Abs(file)
		if err != nil {
			at = filepath.Clean(file)
		}
		again := seen[at]
		seen[at] = true
		return again
	})
}

// failingFolder has scenarios that must fail. Like testdata in Go it is left out
// when a folder above it is named.
const failingFolder = "failing"

func below(dir string, faults *plan.Faults) []string {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == failingFolder && path != dir {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".toml" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		*faults = append(*faults, unreadable(dir, err))
	}
	return files
}

// Select makes the plans of the files and keeps those that the filter lets
// through, in the order of the files.
func Select(files []*plan.File, f Filter) ([]*plan.Plan, plan.Faults) {
	var plans []*plan.Plan
	var faults plan.Faults
	for _, file := range files {
		variants, bad := file.Variants(plan.Options{Set: f.Set, Codex: f.Codex})
		faults = append(faults, bad...)
		for _, p := range variants {
			if f.keeps(p) {
				plans = append(plans, p)
			}
		}
	}
	return f.Shard.of(plans), faults
}

func (f Filter) keeps(p *plan.Plan) bool {
	if f.Run != nil && !f.Run.MatchString(strings.TrimSpace(ScenarioName(p.File)+" "+p.Variant.String())) {
		return false
	}
	return len(f.Tags) == 0 || slices.ContainsFunc(f.Tags, func(t string) bool { return slices.Contains(p.Tags, t) })
}

// of deals the plans out in turn, so that every shard gets some of each area.
func (s Shard) of(plans []*plan.Plan) []*plan.Plan {
	if s.Count <= 1 {
		return plans
	}
	var mine []*plan.Plan
	for i, p := range plans {
		if i%s.Count == s.Index-1 {
			mine = append(mine, p)
		}
	}
	return mine
}

// Suite plays many plans.
type Suite struct {
	// Play plays one; a result without a verdict was ended by its context, and
	// is left out.
	Play     func(context.Context, *plan.Plan) report.Result
	Jobs     int // at once; 0: 1
	FailFast bool
	// Done, when set, is told of each result in the order of the plans.
	Done func(report.Result)
}

// Run plays the plans and returns what was finished, in their order. After the
// first bad result of a FailFast suite, or once ctx ends, no more are begun.
func (s *Suite) Run(ctx context.Context, plans []*plan.Plan) []report.Result {
	results := make([]*report.Result, len(plans))
	order := newInOrder(results, s.Done)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var group errgroup.Group
	group.SetLimit(max(1, s.Jobs))
	for i, p := range plans {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			res := s.Play(ctx, p)
			if res.Verdict == "" {
				return nil
			}
			order.put(i, res)
			if s.FailFast && res.Verdict.Bad() {
				stop(fmt.Errorf("%w: %s failed", errStopped, res.Scenario))
			}
			return nil
		})
	}
	_ = group.Wait() // its functions return no error
	return order.finished()
}

// variant is a plan's variant as reports have it.
func variant(v plan.Variant) report.Variant {
	var out report.Variant
	for _, a := range v {
		value, _ := v.Get(a.Name)
		out = append(out, report.Axis{Name: a.Name, Value: value})
	}
	return out
}

// Sorted returns the plans' scenario names, each once.
func Sorted(plans []*plan.Plan) []string {
	var list []string
	for _, p := range plans {
		list = append(list, ScenarioName(p.File))
	}
	slices.SortFunc(list, cmp.Compare)
	return slices.Compact(list)
}
