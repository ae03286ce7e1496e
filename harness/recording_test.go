package harness_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

// fakeCodex is a program that says as much as a codex without a turn: it answers
// initialize and thread/start. first is what it does before, with RUN the number
// of its start.
func fakeCodex(t *testing.T, first string) harness.Codex {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "codex")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `#!/bin/sh
echo started >> %[1]s/starts
RUN=$(grep -c started %[1]s/starts)
%[2]s
thread='{"id":"01a22d27-32e8-7561-b632-3add88a413b8"}'
while read -r line; do
	id=$(echo "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
	case "$line" in
	*initialize\"*) echo "{\"id\":$id,\"result\":{\"userAgent\":\"codex/0.171.0\"}}" ;;
	*thread/start\"*)
		echo "{\"id\":$id,\"result\":{\"thread\":$thread,\"model\":\"mock-model\"}}"
		echo "{\"method\":\"thread/started\",\"params\":{\"thread\":$thread}}"
		;;
	esac
done
`, dir, first), 0o700))
	return harness.Codex{Mode: "live", Version: "0.171.0", Binary: file}
}

func record(t *testing.T, which harness.Codex) (*tape.Tape, report.Result) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "idle.toml")
	require.NoError(t, os.WriteFile(file, []byte("[[step]]\nsettle = true\n"), 0o600))
	r := &harness.Runner{
		WorkRoot: t.TempDir(), Usual: "0.171.0",
		Find: func(string) (harness.Codex, error) { return which, nil },
	}
	return r.Record(t.Context(), plans(t, file)[0])
}

func TestThreeRunsThatDoTheSameMakeATape(t *testing.T) {
	tp, res := record(t, fakeCodex(t, ""))
	require.NotNil(t, tp, "%s", res.Reason)
	require.Equal(t, report.Pass, res.Verdict)
	require.Equal(t, "0.171.0", tp.Head.Codex)
	require.NotEmpty(t, tp.Sections[0].Lines)
}

func TestARecordingThatIsCalledOffHasNoVerdict(t *testing.T) {
	file := filepath.Join(t.TempDir(), "idle.toml")
	require.NoError(t, os.WriteFile(file, []byte("[[step]]\nsettle = true\n"), 0o600))
	which := fakeCodex(t, "")
	r := &harness.Runner{WorkRoot: t.TempDir(), Find: func(string) (harness.Codex, error) { return which, nil }}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tp, res := r.Record(ctx, plans(t, file)[0])
	require.Nil(t, tp)
	require.Empty(t, res.Verdict, res.Reason)
}

func TestTheLogOfRepeatedRunsIsTheBadOnes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "idle.toml")
	require.NoError(t, os.WriteFile(file, []byte("[[step]]\nsettle = true\n"), 0o600))
	which := fakeCodex(t, `[ "$RUN" = 2 ] && echo "out of order" >&2 && exit 1`)
	r := &harness.Runner{WorkRoot: t.TempDir(), Find: func(string) (harness.Codex, error) { return which, nil }}
	out := r.Repeat(t.Context(), plans(t, file)[0], 3)
	require.True(t, out.Result.Verdict.Bad())
	require.Contains(t, fmt.Sprint(out.Events), "out of order")
}

func TestARunThatCodexSpoiltIsNeverTaped(t *testing.T) {
	const spoilt = `echo "WARN codex_core::tasks: task t1 didn't complete gracefully after 100ms" >&2`
	tp, res := record(t, fakeCodex(t, spoilt))
	require.Nil(t, tp)
	require.Equal(t, report.Error, res.Verdict)
	require.Contains(t, res.Reason, "codex dropped a task")

	tp, res = record(t, fakeCodex(t, `[ "$RUN" = 1 ] && `+spoilt))
	require.NotNil(t, tp, "played again: %s", res.Reason)
}

func TestRunsThatDifferMakeNoTape(t *testing.T) {
	tp, res := record(t, fakeCodex(t, `[ "$RUN" = 3 ] && echo '{"method":"warning","params":{"message":"odd"}}'`))
	require.Nil(t, tp)
	require.Contains(t, res.Reason, "run 3 did something else than the first, in 1 lane")
	require.Contains(t, res.Reason, `warning {"message":"odd"}`)
}

func TestWhatIsLiveOnlyIsSkippedByName(t *testing.T) {
	for _, tt := range []struct{ name, text, says string }{
		{"a program that is run", "subject = \"exec\"\n", "its subject is a program"},
		{"the tag", "tags = [\"live-only\"]\n", "the tag live-only"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "one.toml")
			require.NoError(t, os.WriteFile(file, []byte(tt.text+"[[step]]\nsettle = true\n"), 0o600))
			p := plans(t, file)[0]
			res := fromTape(t, nil).Play(t.Context(), p).Result
			require.Equal(t, report.Skip, res.Verdict)
			require.Contains(t, res.Reason, tt.says)
			r := &harness.Runner{WorkRoot: t.TempDir(), Find: func(string) (harness.Codex, error) { return harness.Codex{Mode: "live"}, nil }}
			tp, res := r.Record(t.Context(), p)
			require.Nil(t, tp)
			require.Equal(t, report.Skip, res.Verdict, "and it is not recorded")
		})
	}
}

func TestStepsOnFilesAreNotDoneFromTape(t *testing.T) {
	p, tp := steered(t)
	splice(p, 0, 0, plan.Step{Agent: "main", Action: &plan.Exec{Command: []string{"false"}}})
	res := fromTape(t, tp).Play(t.Context(), p).Result
	require.Equal(t, report.Pass, res.Verdict, "%+v", res.Failures)
	require.Equal(t, []string{"1 step on files (exec, write, edit), done and judged when the tape was recorded"}, res.Notes)
}
