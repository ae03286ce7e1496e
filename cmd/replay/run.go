package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/codexshim"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
	"github.com/heldstream/heldstream/internal/codexbin"
)

// flags are those that select and play variants.
type flags struct {
	codex    string
	run      string
	tags     []string
	set      []string
	jobs     int
	repeat   int
	failFast bool
	noSkip   bool
	slow     float64
	deadline time.Duration
	json     bool
	verbose  bool
	shard    string
	keep     bool
	noExec   bool
	manager  string
	outputs  outputs
}

// add adds the flags of commands that play a library.
func (f *flags) add(c *cobra.Command) {
	f.addSelection(c)
	fl := c.Flags()
	fl.StringVar(&f.codex, "codex", "auto", "which codex: live, tape, VERSION, live@VERSION, tape@VERSION, PATH, or auto: live where the binary is, else tape")
	fl.IntVarP(&f.jobs, "jobs", "j", defaultJobs(), "variants to play at once")
	fl.StringVar(&f.shard, "shard", "", "play part `I/N` only, or what the CI system's environment says: env")
	fl.BoolVar(&f.keep, "keep", false, "leave the folders of the runs where they are")
}

// addSelection adds the flags of all commands that play scenarios.
func (f *flags) addSelection(c *cobra.Command) {
	fl := c.Flags()
	fl.StringVar(&f.run, "run", "", "only variants whose \"scenario variant\" matches `REGEXP`")
	fl.StringSliceVar(&f.tags, "tags", nil, "only scenarios that have one of these `TAGS`")
	fl.StringArrayVar(&f.set, "set", nil, "give an axis one value: `AXIS=VALUE`")
	fl.BoolVar(&f.noExec, "no-exec", false, "refuse scenarios that run programs of their author's choice")
	fl.Float64Var(&f.slow, "slow", 1, "multiply deadlines by `FACTOR`")
	fl.DurationVar(&f.deadline, "deadline", harness.DefaultDeadline, "of a scenario that names none")
}

func runCommand(s streams) *cobra.Command {
	var f flags
	var again bool
	c := &cobra.Command{
		Use:   "run FILE|FOLDER ...",
		Short: "Play scenarios and judge them",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if again {
				return watch(c.Context(), s, &f, args)
			}
			return play(c.Context(), s, &f, args)
		},
	}
	f.add(c)
	c.Flags().StringVar(&f.manager, "manager", "", "play on this agent manager in place of the scenarios' own: `COMMAND` and arguments of an adapter (see doc/managers.md)")
	c.Flags().IntVar(&f.repeat, "repeat", 1, "play each variant `N` times; all must agree")
	c.Flags().BoolVar(&f.failFast, "fail-fast", false, "stop at the first variant that is not as expected")
	c.Flags().BoolVar(&f.noSkip, "no-skip", false, "exit 3 when a variant was skipped")
	c.Flags().StringVar(&f.outputs.junit, "junit", "", "write JUnit XML to `FILE`")
	c.Flags().StringVar(&f.outputs.html, "html", "", "write the run as one page to `FILE`")
	c.Flags().StringVar(&f.outputs.trace, "trace", "", "write the whole log to `FILE`, a JSON object a line")
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "print of every variant what it came to: sends, calls, turns, compactions, timeline")
	c.Flags().BoolVar(&again, "watch", false, "play again what changes, until Ctrl-C")
	c.Flags().BoolVar(&f.json, "json", false, "print one JSON object a variant")
	return c
}

func play(ctx context.Context, s streams, f *flags, paths []string) error {
	began := time.Now()
	if f.repeat < 1 || f.jobs < 1 {
		return fmt.Errorf("--repeat %d, --jobs %d: both are 1 at least", f.repeat, f.jobs)
	}
	job, err := prepare(s, f, paths)
	if err != nil {
		return err
	}
	suite := &harness.Suite{
		Jobs: f.jobs, FailFast: f.failFast,
		Play: func(ctx context.Context, p *plan.Plan) report.Result {
			out := job.runner.Repeat(ctx, p, f.repeat)
			f.outputs.keep(out)
			return out.Result
		},
	}
	if err := f.outputs.check(); err != nil {
		return err
	}
	print := printer(s, f, len(job.plans))
	print.begin()
	suite.Done = print.result
	results := suite.Run(ctx, job.plans)
	all := report.Run{Results: results, Elapsed: time.Since(began), Interrupted: ctx.Err() != nil}
	print.summary(all)
	if err := f.outputs.write(all); err != nil {
		return err
	}
	code := all.ExitCode(f.noSkip)
	if f.manager == "" && faulty(s, harness.CheckRecorded(paths, job.files)) != nil {
		code = report.FirstExit(code, report.ExitBad)
	}
	if code != report.ExitOK {
		return &exit{code: code}
	}
	return nil
}

// job is what the flags and files come to.
type job struct {
	runner *harness.Runner
	files  []*plan.File
	plans  []*plan.Plan
}

// sensible refuses numbers that say nothing of how to play.
func (f *flags) sensible() error {
	switch {
	case f.slow <= 0:
		return fmt.Errorf("--slow %v: give a factor above 0", f.slow)
	case f.deadline <= 0:
		return fmt.Errorf("--deadline %s: give a time above 0, such as 30s", f.deadline)
	}
	return nil
}

func prepare(s streams, f *flags, paths []string) (*job, error) {
	if err := f.sensible(); err != nil {
		return nil, err
	}
	files, faults := harness.Load(paths)
	if err := faulty(s, faults); err != nil {
		return nil, err
	}
	runner, missing, err := f.runner(s)
	if err != nil {
		return nil, err
	}
	filter, err := f.filter()
	if err != nil {
		return nil, err
	}
	plans, faults := harness.Select(files, filter)
	if err := faulty(s, faults); err != nil {
		return nil, err
	}
	if err := left(s, files, filter, plans); err != nil {
		return nil, err
	}
	if f.noExec {
		if err := faulty(s, programs(plans)); err != nil {
			return nil, err
		}
	}
	if err := faulty(s, scripts(plans)); err != nil {
		return nil, err
	}
	return &job{runner, files, plans}, f.instead(s, missing, plans)
}

// left says whether something is to be played. A part can be empty: the others
// play everything.
func left(s streams, files []*plan.File, filter harness.Filter, plans []*plan.Plan) error {
	shard := filter.Shard
	filter.Shard = harness.Shard{}
	switch all, _ := harness.Select(files, filter); { // its faults are said already
	case len(plans) > 0:
	case len(all) == 0:
		return &exit{report.ExitUsage, "no variant is left to play; loosen --run, --tags or --set"}
	default:
		fmt.Fprintf(s.err, "nothing is left for part %d of %d: there is no more than %d to play\n", shard.Index, shard.Count, len(all))
	}
	return nil
}

// programs are the places where the plans run programs of their author's choice.
func programs(plans []*plan.Plan) plan.Faults {
	var faults plan.Faults
	for _, p := range plans {
		faults = append(faults, p.Programs()...)
	}
	return faults
}

func (f *flags) filter() (harness.Filter, error) {
	filter := harness.Filter{Tags: f.tags, Codex: versionIn(f.codex)}
	var err error
	if filter.Shard, err = harness.ParseShard(f.shard, os.Getenv); err != nil {
		return filter, err
	}
	if f.run != "" {
		re, err := regexp.Compile(f.run)
		if err != nil {
			return filter, fmt.Errorf("--run %q is no regular expression: %w", f.run, err)
		}
		filter.Run = re
	}
	filter.Set, err = axes(f.set)
	return filter, err
}

// axes reads the values of --set.
func axes(list []string) (map[string]string, error) {
	set := map[string]string{}
	for _, text := range list {
		axis, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--set %q: write AXIS=VALUE", text)
		}
		if other, ok := set[axis]; ok && other != value {
			return nil, fmt.Errorf("--set %s: it has %q already, and an axis is given one value; leave both out to play all", axis, other)
		}
		set[axis] = value
	}
	return set, nil
}

var version = regexp.MustCompile(`^(?:live@|tape@)?(\d+\.\d+\.\d+.*)$`)

// versionIn returns the version that a --codex value names, "" for none.
func versionIn(spec string) string {
	if m := version.FindStringSubmatch(spec); m != nil {
		return m[1]
	}
	return ""
}

// runner finds the codex that the flags name; the machine lacks something when
// there is none.
func (f *flags) runner(s streams) (*harness.Runner, *codexbin.NotFound, error) {
	st, err := codexbin.Open(s.err)
	if err != nil {
		return nil, nil, err
	}
	find, missing, err := f.finder(st)
	if err != nil {
		return nil, missing, err
	}
	own, err := f.ownManager()
	if err != nil {
		return nil, nil, err
	}
	self, err := os.Executable()
	return &harness.Runner{
		WorkRoot: filepath.Join(st.Dir, "work"), Deadline: f.deadline, Slow: f.slow, Keep: f.keep,
		Find: find, Usual: codexbin.Default, Shim: []string{self, codexshim.Word}, Manager: own,
	}, missing, err
}
