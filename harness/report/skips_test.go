package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A run of skips alone looks like no success: its last lines say so, and what to
// type.
func TestNothingWasPlayed(t *testing.T) {
	skip := Result{Scenario: "a", Verdict: Skip, Reason: "a.tape: there is no tape; `replay update --tape a.toml` records it", Codex: Codex{Mode: "tape"}}
	for _, tt := range []struct {
		reason  string
		results []Result
		want    string
	}{
		{"all skipped", []Result{skip, skip}, "2 variants, codex tape: 2 skip\n0 passed, 0 failed\n" +
			"NOTHING WAS PLAYED: 2 variants skipped, each for the reason above; what the\nfirst one lacks comes with\n    replay update --tape a.toml\n"},
		{"no cure is named", []Result{{Scenario: "b", Verdict: Skip, Reason: "no git"}}, "1 variant: 1 skip\n0 passed, 0 failed\n" +
			"NOTHING WAS PLAYED: 1 variant skipped, each for the reason above\n"},
		{"one was played", []Result{skip, {Scenario: "c", Verdict: Pass}}, "2 variants, codex tape: 1 pass, 1 skip\n1 passed, 0 failed\n"},
		{"nothing was asked for", nil, "0 variants: nothing was played\n0 passed, 0 failed\n"},
	} {
		var b strings.Builder
		w := Text{W: &b, gap: true}
		require.NoError(t, w.End(Run{Results: tt.results}))
		require.Equal(t, tt.want, b.String(), tt.reason)
	}
}
