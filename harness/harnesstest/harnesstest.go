// Package harnesstest runs scenario files from `go test`:
//
//	func TestScenarios(t *testing.T) { harnesstest.Run(t, "testdata/scenarios") }
//
// Each variant is a subtest, named after its scenario and its axes. With
// `go test -update` the goldens are written instead of compared. The log and the
// page of a variant that is not as expected are left in the test's artifact
// folder (`go test -artifacts`).
//
// A test of an agent manager of your own plays scenarios on it: OnManager names a
// program, InProcess a function. The manager then starts this test program in
// place of codex, which is why the package looks at the arguments before the
// tests do.
//
// It takes the codex of CODEX_BIN, of the cache folder of `replay codex install`,
// or of PATH, in this order. Without one the variants are played from their tapes
// (`replay update --tape` records them) and those that have none are skipped; with
// HELDSTREAM_LIVE=1 the test fails.
//
// The flag is the test program's: a package that plays scenarios has no -update
// of its own.
package harnesstest

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/codexshim"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
	"github.com/heldstream/heldstream/harness/report/html"
	"github.com/heldstream/heldstream/internal/codexbin"
)

var update = flag.Bool("update", false, "write the goldens of scenarios instead of comparing them")

// init makes this program the shim when a manager has started it as codex: a
// test's TestMain is its author's.
func init() {
	if len(os.Args) > 1 && os.Args[1] == codexshim.Word {
		os.Exit(codexshim.Main(os.Args[2:]))
	}
}

// Option changes what Run plays scenarios on.
type Option func(testing.TB, *harness.Runner)

// OnManager plays scenarios on a program that speaks the lines of
// doc/managers.md, in place of their own manager. Words that name a file are
// found from the test's folder. Goldens are not compared, and known failures do
// not count: both tell of another manager.
func OnManager(command ...string) Option {
	return func(t testing.TB, r *harness.Runner) {
		m, err := harness.ManagerAt(command)
		if err != nil {
			t.Fatal(err)
		}
		r.Manager = m
	}
}

// InProcess does the same with a function that reads calls and writes lines, and
// returns when calls ends. It is called once a variant.
func InProcess(serve func(calls io.Reader, lines io.Writer) error) Option {
	return func(_ testing.TB, r *harness.Runner) { r.Manager = &harness.Manager{Serve: serve} }
}

// Run plays the scenarios in dir and below, a subtest a variant, one after the
// other. A variant that fails as its file says it is known to passes.
func Run(t *testing.T, dir string, options ...Option) {
	t.Helper()
	files, faults := harness.Load([]string{dir})
	if errs := faults.Errors(); len(errs) > 0 {
		t.Fatal(errs.Error())
	}
	plans, faults := harness.Select(files, harness.Filter{})
	if errs := faults.Errors(); len(errs) > 0 {
		t.Fatal(errs.Error())
	}
	if len(plans) == 0 {
		t.Fatalf("%s has no scenario: put a .toml file there, or correct the path", dir)
	}
	runner := runner(t, plans)
	for _, o := range options {
		o(t, runner)
	}
	for _, p := range plans {
		t.Run(name(p), func(t *testing.T) { play(t, runner, p) })
	}
	if runner.Manager == nil {
		if errs := harness.CheckRecorded([]string{dir}, files).Errors(); len(errs) > 0 {
			t.Error(errs.Error())
		}
	}
}

func name(p *plan.Plan) string {
	return strings.TrimSuffix(harness.ScenarioName(p.File)+"/"+p.Variant.String(), "/")
}

func runner(t *testing.T, plans []*plan.Plan) *harness.Runner {
	t.Helper()
	store, err := codexbin.Open(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	find, err := finder(store, plans)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &harness.Runner{
		WorkRoot: filepath.Join(store.Dir, "work"),
		Find:     find,
		Usual:    codexbin.Default,
		Shim:     []string{self, codexshim.Word},
	}
}

// finder finds a codex. Without one there are tapes, unless all are to be live.
func finder(store *codexbin.Store, plans []*plan.Plan) (func(string) (harness.Codex, error), error) {
	usual, err := store.Find("auto")
	var missing *codexbin.NotFound
	switch {
	case !errors.As(err, &missing):
		return harness.Finder(store, usual), err
	case os.Getenv("HELDSTREAM_LIVE") == "1" && slices.ContainsFunc(plans, harness.NeedsCodex):
		return nil, err
	}
	return func(version string) (harness.Codex, error) {
		return harness.Codex{Mode: "tape", Version: version}, nil
	}, nil
}

func play(t *testing.T, runner *harness.Runner, p *plan.Plan) {
	out := runner.Play(t.Context(), p)
	res := out.Result
	if *update && runner.Manager == nil && (res.Verdict == report.Pass || res.Verdict == report.KnownFailure) {
		changed, err := harness.UpdateGolden(p, out, codexbin.Default)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(changed)
	}
	res = harness.CheckGolden(p, out)
	out.Result = res
	switch {
	case res.Verdict == report.Skip:
		t.Skip(reason(res))
	case res.Verdict.Bad():
		var text strings.Builder
		_ = (&report.Text{W: &text}).Result(res) // a Builder takes all
		t.Error(text.String())
		keep(t, out)
	}
}

// reason is why a variant was skipped, with the other cure where there is one.
func reason(res report.Result) string {
	if res.Codex.Mode == "tape" {
		return res.Reason + "; `replay codex install` brings a codex"
	}
	return res.Reason
}

// keep leaves what tells how it came to this.
func keep(t *testing.T, out harness.Outcome) {
	dir := t.ArtifactDir()
	page := html.Report{Elapsed: out.Result.Duration, Variants: []html.Variant{{Result: out.Result, Events: out.Events}}}
	for file, write := range map[string]func(io.Writer) error{
		"report.html": func(w io.Writer) error { return html.Write(w, page) },
		"trace.jsonl": func(w io.Writer) error { return trace(w, out) },
	} {
		f, err := os.Create(filepath.Join(dir, file))
		if err != nil {
			t.Error(err)
			continue
		}
		if err := errors.Join(write(f), f.Close()); err != nil {
			t.Error(err)
		}
	}
}

func trace(w io.Writer, out harness.Outcome) error {
	enc := json.NewEncoder(w)
	for _, e := range out.Events {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}
