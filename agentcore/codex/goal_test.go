package codex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	mp "github.com/heldstream/heldstream/mockprovider"
)

func TestGoals(t *testing.T) {
	const usage = "answer 1 error: usage: /goal set TEXT, /goal pause, /goal resume or /goal clear"
	for args, want := range map[string]struct{ answer, set, clear string }{
		"set win the race": {"answer 1", `{"threadId":"thread-1","objective":"win the race","status":"active"}`, ""},
		"pause":            {"answer 1", `{"threadId":"thread-1","status":"paused"}`, ""},
		"resume":           {"answer 1", `{"threadId":"thread-1","status":"active"}`, ""},
		"clear":            {"answer 1", "", `{"threadId":"thread-1"}`},
		"":                 {usage, "", ""},
		"set":              {usage, "", ""},
		"pause it":         {usage, "", ""},
		"score":            {usage, "", ""},
	} {
		fake(t, newServer(), func(r *fakeRig) {
			r.open(agentcore.SessionConfig{})
			r.take()
			r.do(agentcore.Command{Name: "goal", Args: args})
			r.expect(want.answer)
			for method, params := range map[string]string{"thread/goal/set": want.set, "thread/goal/clear": want.clear} {
				calls := r.server.Calls(method)
				if params == "" {
					require.Empty(t, calls)
					continue
				}
				require.JSONEq(t, params, string(calls[0].Params))
			}
		})
	}
}

// TestLiveGoal: with a goal codex goes on by itself, until it is paused.
func TestLiveGoal(t *testing.T) {
	r := newLiveRig(t, map[string]any{"features": map[string]any{"goals": true}},
		mp.Reply{To: mp.Turn, Times: 1, Say: []string{"hello"}},
		mp.Reply{To: mp.Turn, Holds: []mp.Hold{{Gate: "goal"}}, Say: []string{"at it"}})
	r.open(nil)
	r.since("0.130.0", "there are no goals before")
	r.send("send one")
	r.story.await("ended T1 completed")
	r.do(agentcore.Command{Name: "goal", Args: "set win"})
	r.story.await("answer 2 ", "err=<nil>")
	r.story.rewind()
	r.story.await("started T2")
	r.story.await("held goal")
	r.do(agentcore.Command{Name: "goal", Args: "pause"})
	r.story.await("answer 3 ", "err=<nil>")
	r.server.Release(mp.Release{Gate: "goal", Open: true})
	r.story.await("ended T2 completed")
	r.do(agentcore.Command{Name: "goal", Args: "clear"})
	r.story.await("answer 4 ", "err=<nil>")
	require.Zero(t, r.story.count("started T3"))
}
