package agentcore_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// TestHistoryIsKeptAsItWas: 13.E3, 13.P17, 13.Q9. Pieces of a history are rows each,
// with what was thought between them and their times; nothing is coalesced, and
// what was buffered goes with the rows that it would have followed.
func TestHistoryIsKeptAsItWas(t *testing.T) {
	r := newRig(t, func(o *agentcore.Options) { o.Limits.Coalesce = time.Minute })
	r.create()
	at := time.Unix(500, 0).UTC()
	r.provider.last().history = []agentcore.HistoryItem{
		{At: at, Item: agentcore.Item{Kind: timeline.User, ID: "u", Text: "ask"}},
		{At: at.Add(1), Item: agentcore.Item{Kind: timeline.Assistant, ID: "m", Text: "one"}},
		{At: at.Add(2), Item: agentcore.Item{Kind: timeline.Thought, ID: "r", Text: "hm"}},
		{At: at.Add(3), Item: agentcore.Item{Kind: timeline.Assistant, ID: "m", Text: "two"}},
		{At: at.Add(4), Item: agentcore.Item{Kind: timeline.Assistant, ID: "m", Text: "three"}},
	}
	r.emit(text("m", "buffered", false))
	require.NoError(t, r.Hydrate(context.Background(), agentA, true))
	require.Equal(t, []string{"user: ask", "assistant: one", "thought: hm", "assistant: two", "assistant: three"}, r.rows())
	tl, err := r.Timeline(agentA)
	require.NoError(t, err)
	for i, row := range tl.Rows {
		require.Equal(t, at.Add(time.Duration(i)), row.At)
	}
}

// TestOtherItemsDoNotWait: 13.P4. What is not coalesced is a row at once, behind
// what was buffered before it.
func TestOtherItemsDoNotWait(t *testing.T) {
	r := newRig(t, func(o *agentcore.Options) { o.Limits.Coalesce = time.Minute })
	r.create()
	r.emit(text("m", "first", false), agentcore.ItemUpdated{Item: agentcore.Item{Kind: timeline.Error, Text: "then"}})
	require.Equal(t, []string{"assistant: first", "error: then"}, r.rows())
}

// TestUsageIsKept: 13.I6. A turn that says nothing of tokens leaves the last
// count alone.
func TestUsageIsKept(t *testing.T) {
	r := newRig(t, nil)
	r.create()
	n := int64(7)
	r.emit(agentcore.TurnStarted{Turn: "a1"}, agentcore.TurnEnded{Turn: "a1", Status: agentcore.TurnCompleted, Usage: &agentcore.Usage{Total: &n}},
		agentcore.TurnStarted{Turn: "a2"}, agentcore.TurnEnded{Turn: "a2", Status: agentcore.TurnCompleted})
	a, _ := r.Get(agentA)
	require.Equal(t, int64(7), *a.Usage.Total)
}

// TestTimesOfUpdateGrow: 13.C8, even when the clock stands still.
func TestTimesOfUpdateGrow(t *testing.T) {
	r := newRig(t, nil)
	r.create()
	r.send("first", "steer")
	r.answer("t1", nil)
	r.emit(agentcore.TurnEnded{Turn: "t1", Status: agentcore.TurnCompleted})
	var last time.Time
	for _, u := range r.updates {
		if s, ok := u.(agentcore.StateChanged); ok {
			require.True(t, s.Agent.UpdatedAt.After(last))
			last = s.Agent.UpdatedAt
		}
	}
	require.False(t, last.IsZero())
}

// TestFlush: 13.P12, 13.P13, 13.P16, 13.Q8. What is buffered of each agent becomes a
// row of that agent, once, before Flush returns, even if a timer is on its way.
func TestFlush(t *testing.T) {
	r := newRig(t, func(o *agentcore.Options) { o.Limits.Coalesce = time.Minute })
	ids := r.family(2)
	for i, id := range ids {
		r.provider.sessions[i].sink(text("m", id, false))
	}
	r.settle()
	for range 2 {
		for _, timer := range r.clock.timers {
			if timer.off {
				timer.f()
			}
		}
		r.settle()
		require.NoError(t, r.Flush(context.Background()))
		for _, id := range ids {
			tl, err := r.Timeline(id)
			require.NoError(t, err)
			require.Len(t, tl.Rows, 1)
			require.Equal(t, id, tl.Rows[0].Item.Text)
		}
	}
}

// TestAnOldTimerHarmsNobody: 13.Q7. A timer of a life before, which was on its
// way as it was stopped, does nothing to the agent that has the id now.
func TestAnOldTimerHarmsNobody(t *testing.T) {
	r := newRig(t, func(o *agentcore.Options) { o.Limits.Coalesce = time.Minute })
	r.create()
	r.emit(text("m", "old", false))
	old := r.clock.timers[len(r.clock.timers)-1]
	require.Equal(t, "coalesce", old.name)
	require.NoError(t, r.Close(context.Background(), agentA))
	require.True(t, old.off)
	require.Equal(t, []string{"assistant: old"}, r.rows())
	_, err := r.Load(context.Background(), agentA)
	require.NoError(t, err)
	r.emit(text("m", "new", false))
	old.f()
	r.settle()
	require.Equal(t, []string{"assistant: old"}, r.rows(), "what is new waits for its own timer")
}

// TestBlankIdsAreNone: 13.C7. A blank id names nothing: not a message that is
// sent, and not one that the provider shows.
func TestBlankIdsAreNone(t *testing.T) {
	r := newRig(t, nil)
	r.create()
	for range 2 {
		p := r.begin(agentcore.SendRequest{AgentID: agentA, ClientID: " ", Prompt: agentcore.Prompt{Text: "x"}, Policy: agentcore.Policy{Behavior: agentcore.Queue}})
		if r.provider.last().calls("StartTurn") == 1 && r.state() == agentcore.Idle {
			r.answer("t1", nil)
		}
		require.NotEmpty(t, done(t, p).ClientID)
	}
	shown := agentcore.ItemUpdated{Turn: "t1", Item: agentcore.Item{Kind: timeline.User, Text: "y", ClientID: "\t"}}
	r.emit(shown, shown)
	require.Equal(t, []string{"user: x", "user: y", "user: y"}, r.rows())
}
