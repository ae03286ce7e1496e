package harness

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

func TestTheRowThatAFailureIsAbout(t *testing.T) {
	timeline := []string{"user: one", "compaction: started", "user: two", "compaction: aborted", "error: too much", "assistant: done", "user: three\nlines"}
	tests := []struct {
		name     string
		failures []report.Failure
		at       int // -1: none
	}{
		{"the step that failed stands after the rows of then", []report.Failure{{What: "step.2", Got: "stuck"}}, 2},
		{"a step whose answer was another has no moment", []report.Failure{{What: "step.3", Got: "steered"}}, -1},
		{"the compaction that was aborted", []report.Failure{{What: "compactions"}}, 3},
		{"a text that never arrived", []report.Failure{{What: "delivered", Want: "one\ntwo", Got: "one"}}, 2},
		{"a text of several lines", []report.Failure{{What: "delivered", Want: `three\nlines`, Got: "none"}}, 6},
		{"a text that should be lost", []report.Failure{{What: "lost", Want: "one", Got: "none"}}, 0},
		{"an error that nobody expects", []report.Failure{{What: "errors", Want: "none", Got: "too much"}}, 4},
		{"one without a row, then one with", []report.Failure{{What: "turns"}, {What: "errors"}}, 4},
		{"the timeline is the report's", []report.Failure{{What: "compactions"}, {What: "timeline"}}, -1},
		{"nothing to find", []report.Failure{{What: "usage"}}, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := report.Result{Failures: tt.failures}
			for _, text := range timeline {
				res.Timeline = append(res.Timeline, report.Row{Text: text})
			}
			failed := &stepError{step: plan.Step{Index: 2, Agent: "main"}, err: errors.New("stuck")}
			mark(&res, failed, func(string) int { return 3 })
			at := -1
			for i, row := range res.Timeline {
				if row.Mark != "" {
					require.Equal(t, -1, at, "one row only")
					at = i
				}
			}
			require.Equal(t, tt.at, at)
		})
	}
}

func TestTheLastCompactionStandsForOneTooMany(t *testing.T) {
	rows := []report.Row{{Text: "compaction: started"}, {Text: "compaction: completed"}, {Text: "user: x"}}
	require.Equal(t, 1, wrongCompaction(rows))
}
