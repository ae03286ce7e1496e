package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExitCode(t *testing.T) {
	tests := []struct {
		name        string
		verdicts    []Verdict
		interrupted bool
		noSkip      bool
		want        int
	}{
		{"nothing played", nil, false, false, 0},
		{"as expected", []Verdict{Pass, KnownFailure, Skip}, false, false, 0},
		{"a skip is not allowed", []Verdict{Pass, Skip}, false, true, 3},
		{"no skip", []Verdict{Pass}, false, true, 0},
		{"a lack comes before a failure", []Verdict{Fail, Skip}, false, true, 3},
		{"fail", []Verdict{Pass, Fail}, false, false, 1},
		{"unexpected pass", []Verdict{UnexpectedPass}, false, false, 1},
		{"error", []Verdict{Error}, false, false, 1},
		{"a verdict nobody set", []Verdict{""}, false, false, 1},
		{"interrupted", []Verdict{Fail, Skip}, true, true, 130},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := Run{Interrupted: tt.interrupted}
			for _, v := range tt.verdicts {
				run.Results = append(run.Results, Result{Verdict: v})
			}
			require.Equal(t, tt.want, run.ExitCode(tt.noSkip))
		})
	}
}

func TestFirstExit(t *testing.T) {
	require.Equal(t, 0, FirstExit())
	require.Equal(t, 1, FirstExit(0, 1))
	require.Equal(t, 3, FirstExit(1, 3, 0))
	require.Equal(t, 2, FirstExit(3, 2, 1))
	require.Equal(t, 130, FirstExit(2, 130))
}
