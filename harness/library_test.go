package harness_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/golden"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

// library are the variants of all scenarios that have tapes, and the reasons of
// those that have none.
func library(t testing.TB) (taped []*plan.Plan, live map[string]string) {
	t.Helper()
	files, faults := harness.Load([]string{"../scenarios"})
	require.Empty(t, faults.Errors())
	all, faults := harness.Select(files, harness.Filter{})
	require.Empty(t, faults.Errors())
	live = map[string]string{}
	for _, p := range all {
		if why := harness.LiveOnly(p); why != "" {
			live[name(p)] = why
		} else {
			taped = append(taped, p)
		}
	}
	return taped, live
}

func name(p *plan.Plan) string {
	return strings.TrimSpace(harness.ScenarioName(p.File) + " " + p.Variant.String())
}

// fromTapes plays variants from their own tapes, as many at once as there are
// processors, and compares each with its golden.
func fromTapes(t testing.TB, plans []*plan.Plan) map[string]report.Result {
	r := &harness.Runner{
		WorkRoot: t.TempDir(), Usual: "0.171.0",
		Find: func(version string) (harness.Codex, error) {
			return harness.Codex{Mode: "tape", Version: version}, nil
		},
	}
	var mu sync.Mutex
	results := map[string]report.Result{}
	suite := &harness.Suite{Jobs: runtime.NumCPU(), Play: func(ctx context.Context, p *plan.Plan) report.Result {
		res := harness.CheckGolden(p, r.Play(ctx, p))
		mu.Lock()
		defer mu.Unlock()
		results[name(p)] = res
		return res
	}}
	suite.Run(context.Background(), plans)
	return results
}

// TestTheLibraryFromTape judges the whole library without a codex: each variant
// comes to the verdict that it has live, and its golden, which a live run wrote,
// is equal byte for byte.
func TestTheLibraryFromTape(t *testing.T) {
	taped, _ := library(t)
	var without []string
	for name, res := range fromTapes(t, taped) {
		if res.Verdict == report.Skip || res.Golden == report.GoldenMissing {
			without = append(without, name)
			continue
		}
		if !slices.Contains([]report.Verdict{report.Pass, report.KnownFailure}, res.Verdict) || res.Golden != report.GoldenCompared {
			t.Errorf("%s: %s %s (golden: %v) %+v", name, res.Verdict, res.Reason, res.Golden, res.Failures)
		}
	}
	require.Empty(t, without, "`replay update --codex live --tape --stale scenarios` records them")
}

// TestWhatHasNoTapeIsNamed: all have one but those that doc/tapes.md names, and
// those of subjects that no tape can have.
func TestWhatHasNoTapeIsNamed(t *testing.T) {
	doc, err := os.ReadFile("../doc/tapes.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(doc), "## What has no tape")
	var named, tagged []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(table, -1) {
		named = append(named, m[1])
	}
	_, live := library(t)
	for name, why := range live {
		scenario, _, _ := strings.Cut(name, " ")
		if strings.Contains(why, "its subject is a program") {
			require.True(t, strings.HasPrefix(scenario, "subjects/"), "%s: %s", name, why)
			continue
		}
		tagged = append(tagged, scenario)
	}
	slices.Sort(tagged)
	require.Equal(t, named, slices.Compact(tagged))
}

// TestAManagerWithAnotherDefaultPartsFromTheTapes plays the library with a
// manager that replaces a running turn where a send says nothing, in place of
// steering it. Exactly the variants with such a send differ, each at the message
// that is another one.
func TestAManagerWithAnotherDefaultPartsFromTheTapes(t *testing.T) {
	taped, _ := library(t)
	parted := 0
	for _, p := range taped {
		tp, err := harness.LoadTape(p, p.Codex.Version, "0.171.0")
		file, ferr := os.ReadFile(p.File)
		require.NoError(t, ferr)
		if err != nil || bytes.Contains(file, []byte("preset")) {
			continue // the one is the test above's, the other names its default
		}
		before := fromTape(t, tp).Play(t.Context(), p)
		other := *p
		other.Manager.Preset = "replace"
		after := fromTape(t, tp).Play(t.Context(), &other)
		if !steersByDefault(p, tp) {
			require.Equal(t, before.Result.Verdict, after.Result.Verdict, "%s: %s", name(p), after.Result.Reason)
			require.Empty(t, golden.Compare(before.Golden, after.Golden), name(p))
			continue
		}
		parted++
		require.Equal(t, report.Error, after.Result.Verdict, name(p))
		require.Regexp(t, `parts from its recording.*(recorded call turn/steer, came call turn/interrupt|waits for act \d+, the manager's turn/steer)`, after.Result.Reason, name(p))
	}
	require.Greater(t, parted, 5)
}

// steersByDefault reports whether a send that names no behavior was steered, or
// was to be, in the recording.
func steersByDefault(p *plan.Plan, tp *tape.Tape) bool {
	silent := silentSends(p.Steps)
	for _, section := range tp.Sections {
		for _, l := range section.Lines {
			var params struct{ Input []struct{ Text string } }
			if l.Mark != tape.Manager || l.Name != "turn/steer" || json.Unmarshal(l.Data, &params) != nil {
				continue
			}
			for _, in := range params.Input {
				if silent[in.Text] {
					return true
				}
			}
		}
	}
	return false
}

// silentSends are the texts of the sends that name no behavior.
func silentSends(steps []plan.Step) map[string]bool {
	silent := map[string]bool{}
	for _, s := range steps {
		switch a := s.Action.(type) {
		case *plan.Send:
			silent[a.Text] = a.Behavior == ""
		case *plan.Run:
			silent[a.Text] = a.Behavior == ""
		case *plan.Together:
			maps.Copy(silent, silentSends(a.Steps))
		}
	}
	return silent
}

// BenchmarkLibraryFromTape plays the library from tape, over and over.
func BenchmarkLibraryFromTape(b *testing.B) {
	taped, _ := library(b)
	began, used := time.Now(), cpu(b, syscall.RUSAGE_SELF)
	for b.Loop() {
		fromTapes(b, taped)
	}
	n := float64(b.N * len(taped))
	b.ReportMetric(n/time.Since(began).Seconds(), "variants/s")
	b.ReportMetric((cpu(b, syscall.RUSAGE_SELF)-used).Seconds()*1000/n, "cpu-ms/variant")
	b.ReportMetric(0, "ns/op")
}
