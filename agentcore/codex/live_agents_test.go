package codex_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	mp "github.com/heldstream/heldstream/mockprovider"
)

func called(tool, namespace string, args map[string]any) mp.Reply {
	raw, _ := json.Marshal(args)
	return mp.Reply{To: mp.Turn, Times: 1, Call: []mp.Call{{Tool: tool, Namespace: namespace, Args: raw}}}
}

// TestLiveSubAgent: what a sub-agent says stands in the row of the call that
// started it, and ends no turn of ours.
func TestLiveSubAgent(t *testing.T) {
	r := newLiveRig(t, nil,
		called("spawn_agent", "multi_agent_v1", map[string]any{"message": "send child"}),
		mp.Reply{To: mp.Subagent, Holds: []mp.Hold{{Gate: "child"}}, Say: []string{"the child's word"}},
		mp.Reply{To: mp.Turn, Say: []string{"spawned"}})
	r.open(nil)
	r.since("0.153.3", "this call starts no sub-agent before")
	r.send("send one")
	r.story.await("held child")
	r.story.rewind()
	r.story.await("ended T1 completed")
	r.server.Release(mp.Release{Gate: "child"})
	r.story.await("item T1 tool Sub-agent running", "the child's word")
	r.story.await("item T1 tool Sub-agent completed", "the child's word")
	require.Equal(t, 1, r.story.count("ended T"))
	r.send("send two")
	r.story.await("ended T2 completed")
}

// TestLiveQuestion: codex asks what the model wants to know in plan mode only.
func TestLiveQuestion(t *testing.T) {
	r := newLiveRig(t, nil,
		called("request_user_input", "", map[string]any{"questions": []any{map[string]any{
			"id": "color", "header": "Color", "question": "Which?",
			"options": []any{map[string]any{"label": "blue", "description": "sky"}, map[string]any{"label": "red", "description": "rose"}},
		}}}),
		mp.Reply{To: mp.Turn, Match: mp.Match{ToolOutput: &mp.ToolOutput{Present: true, Contains: "red"}}, Say: []string{"red it is"}})
	r.open(nil)
	r.do(agentcore.Set{Name: "plan_mode", Value: true})
	r.send("send one")
	r.story.await("asked T1 request_user_input Question")
	require.Equal(t, 1, r.story.count("tool request_user_input running"))
	r.do(agentcore.Respond{Request: r.asks[0], Response: agentcore.PermissionResponse{Allow: true, Answers: map[string][]string{"Color": {"red"}}}})
	r.story.await("tool request_user_input completed")
	r.story.await("ended T1 completed")
	require.Equal(t, 1, r.story.count("resolved T1 allow=true"), "codex's own notice is old news")
}

// TestLiveWebSocket: turns and steers are the same over a WebSocket, but that a
// steer does not cut the sampling which it meets.
func TestLiveWebSocket(t *testing.T) {
	r := newLiveRig(t, nil,
		mp.Reply{To: mp.Prewarm, Optional: true},
		mp.Reply{To: mp.Turn, Times: 1, Holds: []mp.Hold{{Gate: "g"}}, Say: []string{"one"}},
		mp.Reply{To: mp.Turn, Say: []string{"two"}})
	r.home.Provider.WebSocket = true
	r.open(nil)
	r.since("0.130.0", "a provider of one's own has no WebSocket before")
	r.send("send one")
	r.story.await("held g")
	r.steer("send two", "T1")
	r.story.await("answer 2 T1 err=<nil>")
	r.server.Release(mp.Release{Gate: "g"})
	r.story.await("ended T1 completed", "dropped=[]")
	require.NotZero(t, r.story.count(`assistant "one"`), "what was begun is told")
	require.Equal(t, 1, r.story.count("taken T1 c-send two"))
	require.NotZero(t, r.sockets, "there was a WebSocket at all")
}

// TestLiveRaw: any call goes through, and what codex says of it comes back.
func TestLiveRaw(t *testing.T) {
	r := newLiveRig(t, nil)
	r.open(nil)
	id := r.do(agentcore.Raw{Method: "thread/loaded/list", Params: map[string]any{}})
	r.story.await("answer 1 ", "err=<nil>")
	require.Equal(t, map[string]any{"data": []any{r.handle.SessionID}}, pick(r.values[id], "data"))
	r.do(agentcore.Raw{Method: "no/such/method"})
	r.story.await("answer 2 ", "no/such/method")
}

func pick(v any, key string) map[string]any {
	m, _ := v.(map[string]any)
	return map[string]any{key: m[key]}
}
