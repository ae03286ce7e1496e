package report

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the expected reports in testdata again")

const issueFile = "scenarios/compaction/issue-5728.toml"

func passed() Result {
	return Result{
		Scenario: "compaction/issue-5728", File: issueFile, Variant: Variant{{"send", "steer"}},
		Verdict: Pass, Codex: Codex{"live", "0.171.0"}, Duration: 412 * time.Millisecond,
		Compactions: Compactions{1, 1, 0}, Golden: GoldenCompared,
		Command: "replay run " + issueFile + " --set send=steer",
	}
}

func replaced(v Verdict) Result {
	want := []string{
		"user: first turn", "assistant: reply 1", "user: second turn", "compaction: started",
		"user: update from agent A", "user: update from agent B", "compaction: completed", "assistant: reply 3",
	}
	got := []string{
		"user: first turn", "assistant: reply 1", "user: second turn", "compaction: aborted",
		"user: update from agent A", "compaction: aborted",
		"user: update from agent B", "compaction: completed", "assistant: reply 2",
	}
	r := Result{
		Scenario: "compaction/issue-5728", File: issueFile, Variant: Variant{{"send", "replace"}},
		Verdict: v, Codex: Codex{"live", "0.171.0"}, Duration: 1631 * time.Millisecond,
		Compactions: Compactions{3, 1, 2}, Golden: GoldenCompared,
		Failures: []Failure{
			{File: issueFile, Line: 52, What: "compactions", Want: "1 started, 1 completed, 0 aborted", Got: "3 started, 1 completed, 2 aborted"},
			{File: issueFile, Line: 54, What: "timeline", Want: Lines(want), Got: Lines(got)},
		},
		Command: "replay run " + issueFile + " --set send=replace",
	}
	for i, text := range got {
		row := Row{Agent: "main", Text: text}
		if i == 3 {
			row.Mark = "compactions, timeline"
		}
		r.Timeline = append(r.Timeline, row)
	}
	if v == KnownFailure {
		r.Known = &Known{"getpaseo/paseo#5728", []string{"compactions", "timeline"}}
	}
	return r
}

// hostile has what a model may say to a terminal, a CI system or a page.
func hostile() Result {
	evil := "\x1b[2J\x1b]0;owned\a ::error::gotcha ##[error]x ##vso[task.complete] \u202egnp.exe\u202c \u200b\xff <script>alert(1)</script> | ` @everyone ]]>"
	lines := "::error file=a::first line\n   ::stop-commands::x\n\x1b[31mred\r\x00"
	return Result{
		Scenario: "x/evil", File: "x.toml", Variant: Variant{{"a", "::warning::b"}}, Verdict: Fail,
		Failures: []Failure{
			{File: "x.toml", Line: 3, What: "delivered", Want: "::error::wanted", Got: evil},
			{File: "x.toml", Line: 4, What: "timeline", Want: lines, Got: "::error::x\nuser: ok"},
			{What: "invariant.unmatched", Detail: lines},
		},
		Timeline: []Row{{"main", "::error::" + evil, ""}, {"::error::", evil, "::error::"}},
		Notes:    []string{lines},
		Reason:   lines,
		Known:    &Known{"\x1b[0m::error::", []string{"\n::error::"}},
		Command:  "replay run '\x1b[0m'",
	}
}

func runs() map[string]Run {
	skip := Result{Scenario: "shell/sandbox", Verdict: Skip, Reason: "this kernel lets no user namespace be made: sysctl kernel.unprivileged_userns_clone=1"}
	dead := Result{
		Scenario: "process/dies-early-and-has-a-rather-long-name-for-a-scenario", File: "scenarios/process/dies.toml",
		Variant: Variant{{"transport", "websocket"}, {"codex", "0.159.1"}, {"compaction", "remote-v2"}}, Verdict: Error, Duration: 61 * time.Second, Codex: Codex{"live", "0.159.1"},
		Reason:   "codex exited with status 101 while step 3 waited for held = \"summary\"",
		Failures: []Failure{{File: "scenarios/process/dies.toml", Line: 12, What: "step.3", Detail: "last lines of stderr\nthread 'main' panicked at core/src/lib.rs:12:\n\tindex out of bounds"}},
		Timeline: []Row{{"main", "user: first turn", ""}, {"helper", "user: look at this, it is a prompt that is too long for one line of eighty columns", "step.3"}},
		Notes:    []string{"two of the three runs were spoilt"}, Spoilt: 2,
		Command: "replay run scenarios/process/dies.toml --set transport=websocket --set codex=0.159.1 --set compaction=remote-v2",
	}
	other := passed()
	other.Golden, other.Codex.Version, other.Duration = GoldenOtherVersion, "0.159.1", 4*time.Minute+2*time.Second
	fixed := passed()
	fixed.Verdict, fixed.Variant, fixed.Known = UnexpectedPass, Variant{{"send", "replace"}}, replaced(KnownFailure).Known
	surprised := replaced(Fail)
	surprised.Known = &Known{"getpaseo/paseo#5728", []string{"compactions"}}
	long := replaced(Fail)
	long.Failures = []Failure{{File: issueFile, Line: 9, What: "largest", Want: "at most 10 bytes", Got: strings.Repeat("word ", 500)}}
	long.Timeline = nil
	for i := range 90 {
		long.Timeline = append(long.Timeline, Row{Text: fmt.Sprint("assistant: reply ", i)})
	}
	long.Timeline[45].Mark = "largest"
	return map[string]Run{
		"demo":    {Results: []Result{passed(), replaced(KnownFailure)}, Elapsed: 1700 * time.Millisecond},
		"bad":     {Results: []Result{replaced(Fail), fixed, surprised, long, dead}, Elapsed: 70 * time.Second},
		"aside":   {Results: []Result{other, skip, passed()}, Elapsed: time.Second, Interrupted: true},
		"hostile": {Results: []Result{hostile()}},
		"empty":   {},
	}
}

// golden compares with a file in testdata, which is read by people in reviews.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o666))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run go test -update")
	require.Equal(t, string(want), got)
}

func text(t *testing.T, run Run, color bool) string {
	var b strings.Builder
	w := Text{W: &b, Color: color}
	for _, r := range run.Results {
		require.NoError(t, w.Result(r))
	}
	require.NoError(t, w.End(run))
	return b.String()
}
