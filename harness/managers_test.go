package harness_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

// A manager in a bad mood is told from a good one by an error that names it, the
// line and the cure; no run hangs, and no process is left. Each is played as a
// function and as a program.
func TestManagersInBadMoods(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(moods)) {
		m := moods[name]
		if !m.alone {
			t.Run(name+"/inside", func(t *testing.T) {
				judgeMood(t, m, "in this process", harness.Manager{Serve: m.serve})
			})
		}
		if !m.inside {
			t.Run(name+"/program", func(t *testing.T) {
				judgeMood(t, m, os.Args[0], harness.Manager{Command: []string{os.Args[0], moodWord, name}})
			})
		}
	}
}

// A function cannot be ended; its run ends without it.
func TestAManagerInsideThatDoesNotReturn(t *testing.T) {
	over := make(chan struct{})
	m := mood{patience: 50 * time.Millisecond, want: moods["never exits"].want}
	m.takes = on("the end", true, func(managerCall, func(string, ...any)) error { <-over; return nil })
	judgeMood(t, m, "in this process", harness.Manager{Serve: m.serve})
	close(over)
}

func TestAManagerThatCannotBeStarted(t *testing.T) {
	script := filepath.Join(t.TempDir(), "adapter")
	require.NoError(t, os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o700))
	m := mood{want: []string{"no such file"}}
	judgeMood(t, m, script, harness.Manager{Command: []string{script}})
}

func judgeMood(t *testing.T, m mood, called string, manager harness.Manager) {
	root := t.TempDir()
	manager.Patience = m.patience
	r := &harness.Runner{
		WorkRoot: root, Deadline: time.Minute, Shim: []string{"none is started"}, Manager: &manager,
		Find: func(string) (harness.Codex, error) {
			return harness.Codex{Mode: "live", Version: "0.171.0", Binary: "none"}, nil
		},
	}
	if m.deadline > 0 {
		r.Deadline = m.deadline
	}
	out := r.Play(t.Context(), moodPlan(t, m))
	nothingRuns(t, root)
	text := told(t, out.Result)
	for _, want := range m.want {
		require.Contains(t, text, want)
	}
	switch {
	case m.passes:
		require.Equal(t, report.Pass, out.Result.Verdict, text)
	case m.fails:
		require.Equal(t, report.Fail, out.Result.Verdict, text)
	default:
		require.Equal(t, report.Error, out.Result.Verdict, text)
		require.Contains(t, text, called, "whose fault it is")
	}
	require.Less(t, stderrOf(out.Events), 300<<10)
}

func moodPlan(t *testing.T, m mood) *plan.Plan {
	file := filepath.Join(t.TempDir(), "mood.toml")
	steps := m.steps
	if steps == "" {
		steps = `run = "hello"`
	}
	require.NoError(t, os.WriteFile(file, []byte("[[step]]\n"+steps+"\n"), 0o600))
	files, faults := harness.Load([]string{file})
	require.Empty(t, faults.Errors())
	plans, faults := harness.Select(files, harness.Filter{})
	require.Empty(t, faults.Errors())
	return plans[0]
}

// lineNumber: how many syncs were answered before depends on what else runs.
var lineNumber = regexp.MustCompile(`line \d+ of`)

func told(t *testing.T, res report.Result) string {
	text := res.Reason
	for _, f := range res.Failures {
		text += fmt.Sprintln(f.What, f.Want, f.Got, f.Detail)
	}
	t.Log(text)
	return lineNumber.ReplaceAllString(text, "line N of")
}

// nothingRuns looks for what was started in a run's folder.
func nothingRuns(t *testing.T, root string) {
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	for _, file := range all {
		if env, err := os.ReadFile(file); err == nil {
			require.NotContains(t, string(env), root, file)
		}
	}
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func stderrOf(events []eventlog.Event) int {
	var all strings.Builder
	for _, e := range events {
		if b, ok := e.Body.(eventlog.Stderr); ok {
			all.WriteString(b.Text)
		}
	}
	return all.Len()
}
