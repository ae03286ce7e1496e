package harness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/golden"
	"github.com/heldstream/heldstream/harness/report"
)

// ran is the outcome of a run in which one lane has these lines.
func ran(v report.Verdict, lines ...string) Outcome {
	return Outcome{
		Result: report.Result{File: "a.toml", Verdict: v, Duration: time.Second, Spoilt: 1},
		Golden: golden.File{Sections: []golden.Section{{Title: "step 1 run", Lanes: []golden.Lane{
			{Name: "turns", Lines: lines}, {Name: "status", Lines: []string{"idle"}},
		}}}},
	}
}

func TestRepeatedRuns(t *testing.T) {
	tests := []struct {
		name     string
		runs     []Outcome
		n        int
		verdict  report.Verdict
		got      string // of the failure repeat; "": there is none
		detail   string
		lastNote string
	}{
		{
			"all agree", []Outcome{ran(report.Pass, "a"), ran(report.Pass, "a"), ran(report.Pass, "a")}, 3,
			report.Pass, "", "", "3 runs, one outcome",
		},
		{
			"all fail alike", []Outcome{ran(report.Fail, "a"), ran(report.Fail, "a")}, 2,
			report.Fail, "", "", "2 runs, one outcome",
		},
		{
			"two lanes' worth of difference", []Outcome{ran(report.Pass, "a"), ran(report.Pass, "a"), ran(report.Pass, "b"), ran(report.Pass, "c")}, 4,
			report.Fail, "2 of them differ from the first; verdicts: 4 pass",
			"differs in 2 of 4: step 1 run, lane turns\nrun 3 is the first that differs (-: the first run):\nstep 1 run, lane turns\n  - a\n  + b\n", "",
		},
		{
			"another verdict", []Outcome{ran(report.Pass, "a"), ran(report.Fail, "a"), ran(report.Pass, "a")}, 3,
			report.Fail, "1 of them differs from the first; verdicts: 1 fail, 2 pass",
			"run 2 is the first that came to another verdict, and its lanes are as the first run's", "",
		},
		{
			"interrupted", []Outcome{ran(report.Pass, "a"), ran(report.Pass, "a")}, 9,
			report.Pass, "", "", "interrupted: 2 of 9 runs were played",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tally := newTally(tt.runs[0])
			for _, out := range tt.runs[1:] {
				tally.add(out)
			}
			res := tally.result(tt.n)
			require.Equal(t, tt.verdict, res.Verdict)
			require.Equal(t, len(tt.runs), res.Spoilt, "what was played again is counted over all")
			require.Equal(t, time.Duration(len(tt.runs))*time.Second, res.Duration)
			if tt.got == "" {
				require.Empty(t, res.Failures)
				require.Equal(t, tt.lastNote, res.Notes[len(res.Notes)-1])
				return
			}
			require.Equal(t, "repeat", res.Failures[0].What)
			require.Equal(t, tt.got, res.Failures[0].Got)
			require.Equal(t, tt.detail, res.Failures[0].Detail)
		})
	}
}
