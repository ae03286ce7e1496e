package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/plan"
)

const varied = `[matrix]
n_tokens  = [5, 7]
transport = ["sse", "websocket"]

[[exclude]]
when = { n_tokens = 7, transport = "sse" }

[[reply]]
to     = "turn"
say    = "${n_tokens} of ${n}"
tokens = "${n_tokens}"

[[reply]]
to   = "prewarm"
when = { transport = "websocket" }

[[step]]
run  = "old"
when = { codex = "< 0.160.0" }
[[step]]
run = "any"

[expect]
turns = 1

[[expect_if]]
when        = { codex = "< 0.160.0" }
turns       = 2
[[expect_if]]
when        = { transport = "websocket" }
connections = 1
`

func names(plans []*plan.Plan) []string {
	var list []string
	for _, p := range plans {
		list = append(list, p.Variant.String())
	}
	return list
}

func TestMatrixAndExclude(t *testing.T) {
	f, faults := plan.Parse("a.toml", []byte(varied), nil)
	require.Empty(t, faults)
	plans := variants(t, f, plan.Options{})
	require.Equal(t, []string{"n_tokens=5,transport=sse", "n_tokens=5,transport=websocket", "n_tokens=7,transport=websocket"}, names(plans))
	require.Equal(t, 5, plans[0].Script.Replies[0].Tokens.Input, "a name alone keeps the type of its value")
	require.Equal(t, []string{"5 of ${n}"}, plans[0].Script.Replies[0].Say, "inside a text it is text; names of the run stay")
	require.Equal(t, "websocket", plans[1].Provider.Transport)
	require.Len(t, plans[0].Script.Replies, 1)
	require.Len(t, plans[1].Script.Replies, 2)
	require.Len(t, plans[0].Steps, 1)
	require.Equal(t, []int{1, 2}, []int{len(plans[0].Expect), len(plans[1].Expect)})
}

func TestVersionsSelect(t *testing.T) {
	f, _ := plan.Parse("a.toml", []byte(varied), nil)
	for _, tt := range []struct {
		o     plan.Options
		steps int
	}{
		{plan.Options{}, 1},
		{plan.Options{DefaultCodex: "0.159.1"}, 2},
		{plan.Options{Codex: "0.159.1", DefaultCodex: "0.171.0"}, 2},
		{plan.Options{Codex: "0.160.0"}, 1},
		{plan.Options{Codex: "0.160.0-alpha.1"}, 2},
		{plan.Options{Codex: "0.171.0", Set: map[string]string{"codex": "0.111.0"}}, 2},
	} {
		p := variants(t, f, tt.o)[0]
		require.Len(t, p.Steps, tt.steps, "%+v", tt.o)
		require.Equal(t, tt.steps, *p.Expect[0].Value.(*plan.Turns).Count)
	}
}

func TestSetNarrowsAxes(t *testing.T) {
	f, _ := plan.Parse("a.toml", []byte(varied), nil)
	set := func(name, v string) plan.Options { return plan.Options{Set: map[string]string{name: v}} }
	require.Equal(t, []string{"n_tokens=5,transport=sse"}, names(variants(t, f, plan.Options{Set: map[string]string{"n_tokens": "5", "transport": "sse"}})))
	require.Equal(t, 7, variants(t, f, set("n_tokens", "7"))[0].Script.Replies[0].Tokens.Input)

	p := variants(t, f, set("compaction", "remote-v2"))[0]
	require.Equal(t, "n_tokens=5,transport=sse,compaction=remote-v2", p.Variant.String())
	require.Equal(t, "openai", p.Provider.Kind, "custom compacts locally")

	_, faults := f.Variants(set("n_token", "5"))
	require.EqualError(t, faults, `a.toml:1:1: there is no axis "n_token" to set; did you mean "n_tokens"?`)
	_, faults = f.Variants(set("transport", "tcp"))
	require.ErrorContains(t, faults, `there is no "tcp"`)
	_, faults = f.Variants(set("n_tokens", "many"))
	require.ErrorContains(t, faults, "a.toml:11:10: ", "a new value is checked as the file's are")
}

func TestVersionRanges(t *testing.T) {
	for _, tt := range []struct {
		r, version string
		want       bool
	}{
		{"", "0.1.0", true}, {"0.1.0", "0.1.0", true}, {"0.1.0", "0.1.1", false}, {"<= 0.159.1", "0.159.1", true},
		{"<= 0.159.1", "0.171.0", false}, {"<0.9.0", "0.10.0", false}, {">= 0.130.0, < 0.171.0", "0.153.3", true},
		{">= 0.130.0, < 0.171.0", "0.171.0", false}, {"!= 0.1.0", "0.1.0", false}, {"> 0.1.0", "", true}, {"<= 9.9.9", "", false},
		{"< 0.171.0", "0.171.0-alpha.3", true},
	} {
		require.Equal(t, tt.want, plan.VersionRange(tt.r).Matches(tt.version), "%q on %q", tt.r, tt.version)
	}
}

// A File is shared by the workers of a run.
func TestVariantsAtOnce(t *testing.T) {
	f, _ := plan.Parse("a.toml", []byte(varied), nil)
	done := make(chan int)
	for range 4 {
		go func() {
			plans, _ := f.Variants(plan.Options{})
			done <- len(plans)
		}()
	}
	for range 4 {
		require.Equal(t, 3, <-done)
	}
}
