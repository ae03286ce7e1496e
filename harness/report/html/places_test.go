package html

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/report"
)

func TestEachRowOfTheTimelineHasItsEvent(t *testing.T) {
	v := replaced()
	for i, seq := range rowPlaces(v) {
		require.NotZero(t, seq, v.Result.Timeline[i].Text)
		require.Equal(t, v.Result.Timeline[i].Text, v.Events[seq-1].Body.(eventlog.Row).String())
		if i > 0 {
			require.Greater(t, seq, rowPlaces(v)[i-1])
		}
	}
	v.Result.Timeline = rowsOf("assistant: nobody said this")
	require.Equal(t, []int{0}, rowPlaces(v))
}

func TestPlacesOfAFailure(t *testing.T) {
	log := []eventlog.Body{
		/* 1 */ eventlog.StepBegan{Index: 1},
		/* 2 */ eventlog.SendBegan{Send: 1, Text: "one"},
		/* 3 */ eventlog.SendBegan{Send: 2, Text: "two\nlines"},
		/* 4 */ eventlog.Row{Seq: 1, Kind: "user", Text: "one"},
		/* 5 */ eventlog.Row{Seq: 2, Kind: "compaction", Status: "running"},
		/* 6 */ eventlog.Row{Seq: 3, Kind: "user", Text: "one"},
		/* 7 */ eventlog.Request{ID: 1},
		/* 8 */ eventlog.Breach{ID: 1, Invariant: "frames"},
		/* 9 */ eventlog.Breach{ID: 1, Invariant: "call_outputs"},
		/* 10 */ eventlog.StepFailed{Index: 1},
	}
	var events []eventlog.Event
	for i, b := range log {
		events = append(events, eventlog.Event{Seq: i + 1, Agent: []string{"a", "b"}[i%2], Body: b})
	}
	tests := []struct {
		reason string
		f      report.Failure
		want   []int
	}{
		{"the rows that are counted", report.Failure{What: "compactions"}, []int{5}},
		{"of one agent only", report.Failure{What: "agent.b.compactions"}, []int{}},
		{"a text that is wanted and not there", report.Failure{What: "delivered", Want: "one\ntwo\\nlines", Got: "one"}, []int{3}},
		{"texts that are there out of order", report.Failure{What: "delivered", Want: "one\ntwo", Got: "two\none"}, []int{7}},
		{"the first row that strays, counted among its equals", report.Failure{What: "timeline",
			Want: "user: one\ncompaction: started", Got: "user: one\ncompaction: started\nuser: one"}, []int{6}},
		{"rows that are missing at the end have no place", report.Failure{What: "timeline", Want: "user: one\nuser: two", Got: "user: one"}, []int{}},
		{"a step", report.Failure{What: "step.1"}, []int{1, 10}},
		{"not a step of the same beginning", report.Failure{What: "step.10"}, []int{}},
		{"an invariant", report.Failure{What: "invariant.frames"}, []int{8}},
		{"a golden stands nowhere", report.Failure{What: "golden"}, []int{}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			require.Equal(t, tt.want, places(tt.f, Variant{Events: events}))
		})
	}
}

func TestTheMarkedRowComesFirst(t *testing.T) {
	v := replaced()
	v.Result.Timeline[4].Mark = "compactions"
	require.Equal(t, []int{rowPlaces(v)[4]}, places(report.Failure{What: "compactions"}, v))
}
