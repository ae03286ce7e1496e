package agentcore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestARunCollectsWhatItsTurnSaid: 13.J1, 13.V3. The final text is what was said
// last, in one go: the pieces of a message are one text, messages are divided.
func TestARunCollectsWhatItsTurnSaid(t *testing.T) {
	r := newRig(t, nil)
	r.create()
	p := r.begin(agentcore.RunRequest{SendRequest: agentcore.SendRequest{AgentID: agentA, Prompt: agentcore.Prompt{Text: "hello"}}})
	r.emit(agentcore.TurnStarted{Turn: "t1"}, text("m0", "I ", false))
	r.answer("t1", nil)
	tool := agentcore.Item{Kind: timeline.Tool, ID: "c", Name: "shell", Status: timeline.Completed}
	r.emit(text("m0", "look", true), agentcore.ItemUpdated{Turn: "t1", Item: tool}, text("m1", "early", false), text("m1", " bird", true), text("m2", "worm", true),
		agentcore.TurnEnded{Turn: "t1", Status: agentcore.TurnCompleted})
	v, err := p.Result()
	require.NoError(t, err)
	require.Equal(t, "early bird\n\n---\n\nworm", v.(agentcore.RunResult).FinalText)
	require.Equal(t, []string{"user: hello", "assistant: I look", "tool: shell completed", "assistant: early bird", "assistant: worm"}, r.rows())
	require.Equal(t, []agentcore.Lifecycle{"initializing", "idle", "running", "idle"}, r.states())
}

func TestASteerWaitsForTheStart(t *testing.T) {
	r := newRig(t, nil)
	s := r.create()
	first, second := r.send("first", "steer"), r.send("second", "steer")
	require.Equal(t, 0, s.calls("SteerTurn"))
	r.answer("t1", nil)
	require.Equal(t, agentcore.Started, done(t, first).Disposition)
	require.Equal(t, 1, s.calls("SteerTurn"))
	r.answer(nil, nil)
	require.Equal(t, agentcore.Steered, done(t, second).Disposition)
	require.Equal(t, 0, s.calls("InterruptTurn"))
	require.Equal(t, []string{"user: first", "user: second"}, r.rows())
}

func TestAReplaceInterruptsAndStartsAnew(t *testing.T) {
	r := newRig(t, nil)
	s := r.create()
	first := r.send("first", "replace")
	r.answer("t1", nil)
	second := r.send("second", "replace")
	require.Equal(t, 1, s.calls("InterruptTurn"))
	r.answer(nil, nil)
	r.emit(agentcore.TurnEnded{Turn: "t1", Status: agentcore.TurnInterrupted, Dropped: []string{"first"}})
	fate, err := first.Fate(context.Background())
	require.NoError(t, err)
	require.Equal(t, agentcore.FateUndelivered, fate)
	r.answer("t2", nil)
	require.Equal(t, "t2", done(t, second).Turn)
	require.Equal(t, []string{"user: first undelivered", "user: second"}, r.rows())
	require.Equal(t, []agentcore.Lifecycle{"initializing", "idle", "running"}, r.states())
}

func TestAQueuedPromptGoesOutWhenTheTurnEnds(t *testing.T) {
	r := newRig(t, nil)
	s := r.create()
	r.send("first", "queue")
	r.answer("t1", nil)
	second := r.send("second", "queue")
	require.Equal(t, agentcore.Queued, done(t, second).Disposition)
	third := r.send("third", "queue")
	require.NoError(t, r.Withdraw(context.Background(), agentA, "third"))
	fate, _ := third.Fate(context.Background())
	require.Equal(t, agentcore.FateWithdrawn, fate)
	r.emit(agentcore.TurnEnded{Turn: "t1", Status: agentcore.TurnCompleted})
	require.Equal(t, 2, s.calls("StartTurn"))
	r.answer("t2", nil)
	require.Equal(t, []string{"user: first", "user: second"}, r.rows())
}

func TestInterruptOfNothingAndOfATurn(t *testing.T) {
	r := newRig(t, nil)
	r.create()
	res, err := r.Interrupt(context.Background(), agentA)
	require.NoError(t, err)
	require.Equal(t, "not_running", res.Outcome)
	r.send("first", "steer")
	r.answer("t1", nil)
	p := r.begin(agentcore.InterruptRequest{AgentID: agentA})
	r.answer(nil, errors.New("no"))
	_, err = p.Result()
	var refused *agentcore.RefusedError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, agentcore.Running, r.state())
	p = r.begin(agentcore.InterruptRequest{AgentID: agentA})
	r.answer(nil, nil)
	require.True(t, r.clock.expire("settle"))
	r.settle()
	v, err := p.Result()
	require.NoError(t, err)
	require.Equal(t, agentcore.InterruptResult{Outcome: "settled"}, v)
	require.Equal(t, agentcore.Idle, r.state())
}

func TestACompactionThatIsCutOffIsAborted(t *testing.T) {
	r := newRig(t, nil)
	r.create()
	p := r.begin(agentcore.CompactRequest{AgentID: agentA})
	r.answer(nil, nil)
	_, err := p.Result()
	require.NoError(t, err)
	require.Equal(t, agentcore.Running, r.state())
	r.emit(agentcore.TurnStarted{Turn: "c1"}, agentcore.ItemUpdated{Turn: "c1", Item: agentcore.Item{Kind: timeline.Compaction, ID: "k", Status: timeline.Running}},
		agentcore.TurnEnded{Turn: "c1", Status: agentcore.TurnInterrupted})
	require.Equal(t, []string{"compaction:  running", "compaction:  aborted"}, r.rows())
	require.Equal(t, agentcore.Idle, r.state())
}

// TestCloseAndLoadShowTheSameTimeline: 13.E8, from the store in memory, which is
// there when no other is given.
func TestCloseAndLoadShowTheSameTimeline(t *testing.T) {
	r := newRig(t, nil)
	r.create()
	r.send("first", "queue")
	r.answer("t1", nil)
	r.emit(agentcore.Taken{Turn: "t1", ClientID: "first", ItemID: "u1"})
	r.send("later", "queue")
	require.NoError(t, r.Close(context.Background(), agentA))
	r.settle()
	_, err := r.Send(context.Background(), agentcore.SendRequest{AgentID: agentA, Prompt: agentcore.Prompt{Text: "x"}})
	require.EqualError(t, err, "Agent '"+agentA+"' has no managed session")
	_, err = r.Load(context.Background(), agentA)
	require.NoError(t, err)
	r.settle()
	require.Equal(t, "thread-1", r.provider.last().request.Resume.SessionID)
	require.Equal(t, 1, r.provider.last().calls("StartTurn"), "the queued prompt goes out")
	r.answer("t2", nil)
	require.Equal(t, []string{"user: first", "user: later"}, r.rows())
	require.NoError(t, r.Shutdown(context.Background()))
}
