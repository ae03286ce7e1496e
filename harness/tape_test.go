package harness_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

const (
	compaction = "../scenarios/compaction/issue-5728.toml"
	tapes      = "../golden/compaction/issue-5728."
)

func plans(t *testing.T, file string) []*plan.Plan {
	t.Helper()
	files, faults := harness.Load([]string{file})
	require.Empty(t, faults)
	all, faults := harness.Select(files, harness.Filter{})
	require.Empty(t, faults)
	return all
}

// fromTape plays variants from the given tape, nil: from their own.
func fromTape(t *testing.T, tp *tape.Tape) *harness.Runner {
	return &harness.Runner{
		WorkRoot: t.TempDir(), Usual: "0.171.0", Deadline: 20 * time.Second,
		Find: func(string) (harness.Codex, error) { return harness.Codex{Mode: "tape", Tape: tp}, nil },
	}
}

func TestATapeDoesWhatTheLiveRunDid(t *testing.T) {
	for _, p := range plans(t, compaction) {
		t.Run(p.Variant.String(), func(t *testing.T) {
			out := fromTape(t, nil).Play(context.Background(), p)
			require.Empty(t, out.Result.Reason)
			res := harness.CheckGolden(p, out)
			require.Equal(t, report.GoldenCompared, res.Golden, "the golden is a live run's")
			want := map[string]report.Verdict{"send=steer": report.Pass, "send=replace": report.KnownFailure}
			require.Equal(t, want[p.Variant.String()], res.Verdict, "%v", res.Failures)
			require.Equal(t, "tape", res.Codex.Mode)
		})
	}
}

// steered is the variant whose run and tape the tests below change.
func steered(t *testing.T) (*plan.Plan, *tape.Tape) {
	t.Helper()
	data, err := os.ReadFile(tapes + "send=steer.tape")
	require.NoError(t, err)
	tp, err := tape.Parse(data)
	require.NoError(t, err)
	return plans(t, compaction)[1], tp
}

// without is the plan with the steps from i on replaced: n of them by others.
func splice(p *plan.Plan, i, n int, by ...plan.Step) {
	p.Steps = slices.Concat(p.Steps[:i], by, p.Steps[i+n:])
}

func TestARunThatPartsFromItsRecordingSaysWhere(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*plan.Plan)
		says string
	}{
		{"another text", func(p *plan.Plan) { p.Steps[1].Action.(*plan.Send).Text = "third turn" },
			`call turn/start, params.input[0].text: recorded "second turn", came "third turn"`},
		{"another call", func(p *plan.Plan) { p.Steps[3].Action.(*plan.Send).Behavior = "replace" },
			"recorded call turn/steer, came call turn/interrupt"},
		{"another reply", func(p *plan.Plan) { p.Script.Replies[0].Say = []string{"another"} },
			"request 2 (compaction.inline): the content of response.output_text.delta is not the recorded one"},
		{"a reply longer by an event", func(p *plan.Plan) { p.Script.Replies[0].Say = []string{"SUMMARY", "!"} },
			"request 2 (compaction.inline): recorded event response.output_text.done, came response.output_text.delta"},
		{"a message missing", func(p *plan.Plan) { splice(p, 5, 2) },
			"codex's answer to turn/steer waits for act 45, the manager's turn/steer"},
		{"a message more", func(p *plan.Plan) {
			splice(p, 7, 0, plan.Step{Agent: "main", Action: &plan.Send{Text: "one more", Behavior: "steer"}})
		}, "the manager says call turn/steer, and nothing more was recorded of it for thread main-T1"},
		{"a gate that is not released", func(p *plan.Plan) { splice(p, 7, 1) }, "everything has settled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, tp := steered(t)
			tt.edit(p)
			began := time.Now()
			out := fromTape(t, tp).Play(context.Background(), p)
			why := out.Result.Reason
			for _, f := range out.Result.Failures {
				why += "\n" + f.Got
			}
			require.NotEqual(t, report.Pass, out.Result.Verdict)
			require.Contains(t, why, tt.says)
			require.Less(t, time.Since(began), 10*time.Second, "by what happened, and not by the deadline: %s", why)
		})
	}
}

func TestToolsThatDoSomethingElsePartFromTheRecording(t *testing.T) {
	for tool, says := range map[string]string{
		"queue":   `request m4 (tools/call): the content of body is not the recorded one`,
		"replace": `recorded call turn/steer, came call turn/interrupt`,
	} {
		p := plans(t, "../scenarios/agents/to-a-waiting-agent.toml")[1]
		require.Equal(t, "send=steer", p.Variant.String())
		tp, err := harness.LoadTape(p, "", "0.171.0")
		require.NoError(t, err)
		p.Manager.ToolDefault = tool
		out := fromTape(t, tp).Play(context.Background(), p)
		require.Equal(t, report.Error, out.Result.Verdict)
		require.Contains(t, out.Result.Reason, "parts from its recording")
		require.Contains(t, out.Result.Reason, says)
	}
}

func TestATapeOfAnotherScenarioIsRefused(t *testing.T) {
	text, err := os.ReadFile(compaction)
	require.NoError(t, err)
	for _, tt := range []struct{ name, old, new, says string }{
		{"a reply changed", `say    = "SUMMARY"`, `say    = "another"`, "the scenario has changed since it was recorded"},
		{"a step changed", `behavior = "${send}"`, `behavior = "queue"`, "the scenario has changed since it was recorded"},
		{"the configuration changed", "10_000", "20_000", "the scenario has changed since it was recorded"},
		{"only words for readers changed", `about = "Prompts`, `about = "All prompts`, ""},
		{"a line more", "[matrix]", "# a remark\n\n[matrix]", ""},
		{"an expectation changed", "compactions = 1 ", "compactions = { completed = 1 } ", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "scenarios", "compaction", "issue-5728.toml")
			copied := filepath.Join(dir, "golden", "compaction", "issue-5728.send=steer.tape")
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
			require.NoError(t, os.MkdirAll(filepath.Dir(copied), 0o700))
			data, err := os.ReadFile(tapes + "send=steer.tape")
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(copied, data, 0o600))
			require.Contains(t, string(text), tt.old)
			require.NoError(t, os.WriteFile(file, bytes.Replace(text, []byte(tt.old), []byte(tt.new), 1), 0o600))
			_, err = harness.LoadTape(plans(t, file)[1], "", "0.171.0")
			if tt.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.says)
			require.ErrorContains(t, err, "replay update --tape")
		})
	}
}

// One that is there and cannot be used is an error: skipped, it would be missed.
func TestATapeThatCannotBeUsedIsAnError(t *testing.T) {
	scenario, err := os.ReadFile(compaction)
	require.NoError(t, err)
	good, err := os.ReadFile(tapes + "send=steer.tape")
	require.NoError(t, err)
	foreign, err := os.ReadFile(tapes + "send=replace.tape")
	require.NoError(t, err)
	for _, tt := range []struct{ name, scenario, tape, says string }{
		{"good", string(scenario), string(good), ""},
		{"truncated", string(scenario), string(good[:len(good)/2]), "cut off"},
		{"edited", string(scenario), strings.Replace(string(good), "SUMMARY", "SUMMERY", 1), "edited or damaged"},
		{"of another variant", string(scenario), string(foreign), `the tape of variant "send=replace"`},
		{"of another scenario", strings.Replace(string(scenario), `"SUMMARY"`, `"OTHER"`, 1), string(good), "the scenario has changed"},
		{"no tape at all", string(scenario), strings.Repeat("x\n", 100), "the end line is missing"},
		{"huge", string(scenario), strings.Repeat("x\n", 3<<20), "more than the"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, map[string]string{
				"scenarios/a/issue-5728.toml": tt.scenario, "golden/a/issue-5728.send=steer.tape": tt.tape,
			})
			p := plans(t, filepath.Join(dir, "scenarios/a/issue-5728.toml"))[1]
			res := fromTape(t, nil).Play(t.Context(), p).Result
			if tt.says == "" {
				require.Equal(t, report.Pass, res.Verdict, res.Reason)
				return
			}
			require.Equal(t, report.Error, res.Verdict)
			require.Contains(t, res.Reason, tt.says)
			require.Contains(t, res.Reason, "replay update --tape")
			require.Less(t, len(res.Reason), 500)
		})
	}
}

func TestATapeThatIsNotThereIsASkipThatSaysWhatToType(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new.toml")
	text, err := os.ReadFile(compaction)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text, 0o600))
	out := fromTape(t, nil).Play(context.Background(), plans(t, file)[0])
	require.Equal(t, report.Skip, out.Result.Verdict)
	require.True(t, strings.HasSuffix(out.Result.Reason, "`replay update --tape "+file+"` records it"), out.Result.Reason)
}
