package harness

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
)

func TestTheDeadlineCountsFromCodexsFirstAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := eventlog.New()
		began := time.Now()
		ctx, stop := withDeadline(t.Context(), log, 10*time.Second)
		defer stop()
		time.Sleep(9 * time.Second) // of the bubble's clock
		log.Append("main", eventlog.FromCodex{})
		time.Sleep(time.Second)
		log.Append("main", eventlog.FromCodex{}) // only the first counts
		<-ctx.Done()
		require.Equal(t, 19*time.Second, time.Since(began))
		require.ErrorIs(t, context.Cause(ctx), errDeadline)
		require.EqualError(t, context.Cause(ctx), "the deadline of the scenario has passed: 10s, counted from codex's first answer")
	})
}

func TestCodexAnswersAsTheTimeRunsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := eventlog.New()
		// The timer goes off while the answer is being put into the log.
		log.Attach(func(eventlog.Event) { time.Sleep(10 * time.Second) })
		ctx, stop := withDeadline(t.Context(), log, 10*time.Second)
		defer stop()
		log.Append("main", eventlog.FromCodex{})
		synctest.Wait()
		require.NoError(t, ctx.Err())
		<-ctx.Done()
		require.EqualError(t, context.Cause(ctx), "the deadline of the scenario has passed: 10s, counted from codex's first answer")
	})
}

func TestACodexThatNeverAnswersHasAsLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, stop := withDeadline(t.Context(), eventlog.New(), 10*time.Second)
		defer stop()
		<-ctx.Done()
		require.Equal(t, 10*time.Second, time.Since(began))
		require.EqualError(t, context.Cause(ctx), "the deadline of the scenario has passed: 10s, codex has not answered at all")
	})
}

func TestWhichDeadline(t *testing.T) {
	for _, tt := range []struct {
		runner Runner
		file   time.Duration
		want   time.Duration
	}{
		{Runner{}, 0, DefaultDeadline},
		{Runner{Deadline: time.Second}, 0, time.Second},
		{Runner{Deadline: time.Second}, 3 * time.Second, 3 * time.Second},
		{Runner{Slow: 2}, 3 * time.Second, 6 * time.Second},
	} {
		require.Equal(t, tt.want, tt.runner.deadline(&plan.Plan{Limits: plan.Limits{Deadline: tt.file}}))
	}
}
