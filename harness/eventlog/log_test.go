package eventlog_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/eventlog"
)

func TestAppendGivesTheOrderThatReadersSee(t *testing.T) {
	l := eventlog.New()
	var seen []int
	l.Attach(func(e eventlog.Event) { seen = append(seen, e.Seq) })
	done := make(chan struct{})
	for range 4 {
		go func() {
			for range 250 {
				l.Append("main", eventlog.Settled{})
			}
			done <- struct{}{}
		}()
	}
	for range 4 {
		<-done
	}
	require.Len(t, seen, 1000)
	for i, seq := range seen {
		require.Equal(t, i+1, seq)
	}
}

func TestEventsCarryTheStepUnderWay(t *testing.T) {
	l := eventlog.New()
	l.Append("", eventlog.Outside{Host: "x"})
	l.Append("", eventlog.StepBegan{Index: 3})
	l.Append("main", eventlog.State{Lifecycle: "idle"})
	events := l.Events()
	require.Equal(t, 0, events[0].Step)
	require.Equal(t, 3, events[2].Step)
}

func TestWaitChecksFirstThenAfterEachChange(t *testing.T) {
	l := eventlog.New()
	l.Append("", eventlog.Settled{})
	require.NoError(t, l.Wait(t.Context(), func(es []eventlog.Event) (bool, error) { return len(es) == 1, nil }))

	met := make(chan error, 1)
	go func() {
		met <- l.Wait(t.Context(), func(es []eventlog.Event) (bool, error) { return len(es) == 3, nil })
	}()
	l.Append("", eventlog.Settled{})
	l.Append("", eventlog.Settled{})
	require.NoError(t, <-met)
}

func TestWaitEndsWithTheConditionsErrorOrTheContexts(t *testing.T) {
	l := eventlog.New()
	never := errors.New("cannot be met")
	require.ErrorIs(t, l.Wait(t.Context(), func([]eventlog.Event) (bool, error) { return false, never }), never)

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("deadline of the scenario"))
	err := l.Wait(ctx, func([]eventlog.Event) (bool, error) { return false, nil })
	require.EqualError(t, err, "deadline of the scenario")
}

func TestUpdateWakesWaiters(t *testing.T) {
	l := eventlog.New()
	work := 1
	met := make(chan error, 1)
	go func() {
		met <- l.Wait(t.Context(), func([]eventlog.Event) (bool, error) { return work == 0, nil })
	}()
	l.Update(func() { work-- })
	require.NoError(t, <-met)
}

func TestAnEventIsOneObjectOfATrace(t *testing.T) {
	l := eventlog.New()
	l.Append("main", eventlog.Held{ID: 2, Gate: "summary"})
	line, err := json.Marshal(l.Events()[0])
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal(line, &got))
	delete(got, "at_us")
	require.Equal(t, map[string]any{
		"seq": 1.0, "step": 0.0, "agent": "main", "kind": "Held",
		"data": map[string]any{"id": 2.0, "gate": "summary"},
	}, got)
}
