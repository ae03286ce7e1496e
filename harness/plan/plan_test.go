package plan_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/mockprovider"
)

const frontPage = "../../scenarios/compaction/issue-5728.toml"

func parseFile(t *testing.T, name string) *plan.File {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	f, faults := plan.Parse(name, data, plan.OS)
	require.Empty(t, faults)
	return f
}

func variants(t *testing.T, f *plan.File, o plan.Options) []*plan.Plan {
	t.Helper()
	plans, faults := f.Variants(o)
	require.Empty(t, faults)
	return plans
}

func TestFrontPage(t *testing.T) {
	plans := variants(t, parseFile(t, frontPage), plan.Options{})
	require.Len(t, plans, 2)
	p := plans[0]
	require.Equal(t, "send=replace", p.Variant.String())
	require.Equal(t, "send=steer", plans[1].Variant.String())
	require.Equal(t, map[string]any{"model_auto_compact_token_limit": int64(10_000)}, p.Codex.Config)
	require.Equal(t, plan.Provider{Kind: "custom", Login: "none", Transport: "sse"}, p.Provider)

	tokens := func(n int) *mockprovider.Tokens { return &mockprovider.Tokens{Input: n, Total: n} }
	require.Empty(t, cmp.Diff([]mockprovider.Reply{
		{To: "compaction", Say: []string{"SUMMARY"}, Tokens: tokens(100), Holds: []mockprovider.Hold{{Gate: "summary"}}},
		{To: "turn", Times: 1, Say: []string{"reply ${n}"}, Tokens: tokens(50_000)},
		{To: "turn", Say: []string{"reply ${n}"}, Tokens: tokens(100)},
	}, p.Script.Replies))

	require.Len(t, p.Steps, 9)
	require.Equal(t, &plan.Run{Text: "first turn", Ends: "completed"}, p.Steps[0].Action)
	require.Equal(t, &plan.Await{Held: "summary", Count: 1}, p.Steps[2].Action)
	require.Equal(t, &plan.Send{Text: "update from agent A", Behavior: "replace"}, p.Steps[3].Action)
	require.Equal(t, &plan.Send{Text: "update from agent A", Behavior: "steer"}, plans[1].Steps[3].Action)
	require.Equal(t, &plan.Release{Gate: "summary"}, p.Steps[7].Action)
	require.Equal(t, &plan.Await{State: "idle", Agent: "main"}, p.Steps[8].Action)
	require.Equal(t, 9, p.Steps[8].Index)

	require.Len(t, p.Expect, 3)
	zero, one := 0, 1
	require.Equal(t, &plan.Compactions{Started: &one, Completed: &one, Aborted: &zero}, p.Expect[0].Value)
	require.Equal(t, "delivered", p.Expect[1].Key)
	require.Len(t, p.Expect[2].Value.(*plan.Timeline).Rows, 8)
}

func TestLastKnownFailureThatSelectsCounts(t *testing.T) {
	plans := variants(t, parseFile(t, frontPage), plan.Options{})
	for _, tt := range []struct {
		variant int
		codex   string
		want    []string
	}{
		{0, "0.171.0", []string{"compactions", "timeline"}},
		{0, "0.159.1", []string{"compactions", "delivered", "timeline"}},
		{0, "0.111.0", []string{"compactions", "delivered", "timeline"}},
		{0, "", []string{"compactions", "timeline"}},
		{1, "0.159.1", nil},
	} {
		var got []string
		if k := plans[tt.variant].KnownFailure(tt.codex); k != nil {
			got = k.Fails
		}
		require.Equal(t, tt.want, got, "%s on %s", plans[tt.variant].Variant, tt.codex)
	}
}

func TestPlansThatOnlyARunCanJudge(t *testing.T) {
	for reason, file := range map[string]string{
		"a * in a row is any text":         "[[reply]]\nto = \"turn\"\nsay = \"one two three\"\n[[step]]\nrun = \"a long prompt\"\n[expect]\ntimeline = [\"user: a * prompt\", \"assistant: one * three\"]\n",
		"a gate that was opened before":    "[[reply]]\nto = \"turn\"\nhold = \"g\"\n[[step]]\nrelease = { gate = \"g\", open = true }\n[[step]]\nrun = \"x\"\n",
		"settled is known":                 "[[reply]]\nto = \"turn\"\n[[step]]\nsend = \"x\"\n[[step]]\nsettle = true\n[[step]]\nexpect = { turns = 1 }\n[[step]]\ninterrupt = true\n",
		"held is known":                    "[[reply]]\nto = \"turn\"\nhold = \"g\"\n[[step]]\nsend = \"x\"\n[[step]]\nawait = { held = \"g\" }\n[[step]]\ninterrupt = true\n",
		"a shell can stand at a gate":      "[[reply]]\nto = \"turn\"\ncall = { tool = \"exec_command\", args = { cmd = \"${hold.g}\" } }\n[[step]]\nsend = \"x\"\n[[step]]\nawait = { held = \"g\" }\n[[step]]\nrelease = \"g\"\n",
		"agents that a tool creates":       "[[reply]]\nto = \"turn\"\ncall = { tool = \"create_agent\", args = { title = \"b\" } }\n[[step]]\nrun = \"x\"\n[expect.agent.b]\nturns = 1\n",
		"a first try that is held":         "[[reply]]\nto = \"turn\"\nattempts = [{ hold = \"g\", end = \"failed:server_error\" }, {}]\n[[step]]\nsend = \"x\"\n[[step]]\nrelease = \"g\"\n",
		"a text of deltas":                 "[[reply]]\nto = \"turn\"\nsay = [\"a \", \"b\"]\n[[step]]\nrun = \"x\"\n[expect]\ntimeline = [\"user: x\", \"assistant: a b\"]\n",
		"an impatient codex leaves a gate": "[provider]\nidle_timeout = \"300ms\"\n[[reply]]\nto = \"turn\"\nhold = \"silence\"\n[[step]]\nrun = \"first\"\nends = \"failed\"\n",
	} {
		f, faults := plan.Parse("scenario.toml", []byte(file), plan.OS)
		require.Empty(t, faults, reason)
		variants(t, f, plan.Options{})
	}
}

// The runner has paths from the provider, and needs lines for its reports.
func TestPlace(t *testing.T) {
	p := variants(t, parseFile(t, frontPage), plan.Options{})[0]
	for path, want := range map[string]plan.Pos{
		"reply[0]":             {File: frontPage, Line: 13, Column: 1},
		"reply[0].hold.before": {File: frontPage, Line: 15, Column: 10},
		"reply[9]":             {File: frontPage, Line: 1, Column: 1},
		"gate":                 {File: frontPage, Line: 1, Column: 1},
	} {
		require.Equal(t, want, p.Place(path), path)
	}
}
