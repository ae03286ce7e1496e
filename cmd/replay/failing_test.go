package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

// The scenarios in scenarios/failing must fail, and their reports are goldens in
// testdata/failing: text, JSON lines, JUnit XML and GitHub's annotations. With
// UPDATE_REPORTS=1 they are written instead: read the difference before it is
// committed.
func TestReportsOfWhatFails(t *testing.T) {
	needsCodex(t)
	goldens, err := filepath.Abs(filepath.Join("testdata", "failing"))
	require.NoError(t, err)
	t.Chdir(filepath.Join("..", ".."))
	t.Setenv("HELDSTREAM_CACHE", t.TempDir())
	for name, results := range playFailing(t) {
		for ending, text := range reports(t, results) {
			compareReport(t, filepath.Join(goldens, name+ending), text)
		}
	}
}

// playFailing plays all of them and returns the results by the file's name.
func playFailing(t *testing.T) map[string][]report.Result {
	f := flags{codex: "auto", jobs: defaultJobs(), slow: 1, deadline: harness.DefaultDeadline}
	job, err := prepare(streams{os.Stdout, os.Stderr}, &f, []string{"scenarios/failing"})
	require.NoError(t, err)
	byFile := map[string][]report.Result{}
	suite := &harness.Suite{
		Jobs: f.jobs,
		Play: func(ctx context.Context, p *plan.Plan) report.Result { return job.runner.Repeat(ctx, p, 1).Result },
	}
	for _, r := range suite.Run(t.Context(), job.plans) {
		require.True(t, r.Verdict.Bad(), "%s %s must fail", r.Scenario, r.Variant)
		r = pinned(r)
		name := strings.TrimSuffix(filepath.Base(r.File), ".toml")
		byFile[name] = append(byFile[name], r)
	}
	return byFile
}

func reports(t *testing.T, results []report.Result) map[string]string {
	run := report.Run{Results: results, Elapsed: time.Second}
	var text, lines, xml, notes strings.Builder
	w := report.Text{W: &text}
	for _, r := range results {
		require.NoError(t, w.Result(r))
		require.NoError(t, report.WriteJSON(&lines, r))
		require.NoError(t, report.WriteAnnotations(&notes, r))
	}
	require.NoError(t, w.End(run))
	require.NoError(t, report.WriteJUnit(&xml, run))
	for line := range strings.Lines(text.String()) {
		if !strings.HasPrefix(line, "        replay run ") { // to be copied, so never wrapped
			require.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), 80, line)
		}
	}
	return map[string]string{".txt": text.String(), ".jsonl": lines.String(), ".xml": xml.String(), ".github": notes.String()}
}

// pinned is a result without what floats, before its lines are wrapped.
func pinned(r report.Result) report.Result {
	r.Duration, r.Spoilt, r.Reason = 0, 0, stand(r.Reason)
	for i := range r.Failures {
		f := &r.Failures[i]
		f.Want, f.Got, f.Detail = stand(f.Want), stand(f.Got), stand(f.Detail)
	}
	for i := range r.Timeline {
		r.Timeline[i].Text = stand(r.Timeline[i].Text)
	}
	return r
}

func stand(text string) string {
	for _, f := range floating {
		text = f.re.ReplaceAllString(text, f.as)
	}
	return text
}

// floating is what differs from run to run, and from machine to machine.
var floating = []struct {
	re *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z`), "TIME"},
	{regexp.MustCompile(`\d+ bytes`), "N bytes"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "HOST"},
	{regexp.MustCompile(`Chunk ID: [0-9a-f]+`), "Chunk ID: N"},
}

// loose are reports with codex's own words in them: of these only what stands
// before such words is compared.
var loose = regexp.MustCompile(`(?s)(stderr of agent|the wire's last lines|Codex app-server exited|\S*/home/config|\S*work/\d+-).*`)

func compareReport(t *testing.T, file, got string) {
	t.Helper()
	got = firm(got)
	if os.Getenv("UPDATE_REPORTS") == "1" {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o666))
		return
	}
	want, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is not there; UPDATE_REPORTS=1 writes it", file)
		return
	}
	require.NoError(t, err)
	require.Equal(t, string(want), got, filepath.Base(file))
}

// firm cuts each report where codex's own words begin. A report ends with a line
// that begins at the margin.
func firm(text string) string {
	var out []string
	cut := false
	for _, line := range strings.SplitAfter(text, "\n") {
		if !strings.HasPrefix(line, " ") || strings.HasPrefix(line, "    timeline as") || strings.HasPrefix(line, "    play only") {
			cut = false
		}
		if cut {
			continue
		}
		if at := loose.FindStringIndex(line); at != nil {
			line, cut = fmt.Sprintf("%s[codex's words]\n", line[:at[0]]), true
		}
		out = append(out, line)
	}
	return strings.Join(out, "")
}
