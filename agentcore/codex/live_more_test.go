package codex_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
	mp "github.com/heldstream/heldstream/mockprovider"
)

var asksFirst = map[string]any{"approval_policy": "on-request"}

// escalated is a command that codex asks for: not one of those that every
// version knows as harmless.
func escalated(cmd string) mp.Reply {
	args, _ := json.Marshal(map[string]any{"cmd": cmd, "sandbox_permissions": "require_escalated", "justification": "why not"})
	return mp.Reply{To: mp.Turn, Times: 1, Call: []mp.Call{{Tool: "exec_command", Args: args}}}
}

func TestLiveApproval(t *testing.T) {
	for _, c := range []struct {
		response agentcore.PermissionResponse
		ended    string
		tool     string
	}{
		{agentcore.PermissionResponse{Allow: true}, "completed", "tool shell completed"},
		{agentcore.PermissionResponse{}, "completed", "tool shell failed"},
		{agentcore.PermissionResponse{Interrupt: true}, "interrupted", "tool shell failed"},
	} {
		r := newLiveRig(t, asksFirst, escalated("touch made"), mp.Reply{To: mp.Turn, Say: []string{"done"}})
		r.open(nil)
		r.send("send one")
		r.story.await("asked T1 CodexBash Run command: touch made")
		r.do(agentcore.Respond{Request: r.asks[0], Response: c.response})
		r.story.await("ended T1", c.ended)
		require.Equal(t, 1, r.story.count(c.tool), r.story)
		require.Equal(t, 1, r.story.count("resolved"))
		r.close()
	}
}

func TestLiveFailedCompaction(t *testing.T) {
	r := newLiveRig(t, compactEarly,
		mp.Reply{To: mp.AnyCompaction, Times: 1, Status: 400, Body: "no compaction today"},
		mp.Reply{To: mp.AnyCompaction, Say: []string{"SUMMARY"}},
		mp.Reply{To: mp.Turn, Times: 1, Say: []string{"reply"}, Tokens: &mp.Tokens{Input: 50_000}},
		mp.Reply{To: mp.Turn, Say: []string{"reply"}})
	r.open(nil)
	r.send("send one")
	r.story.await("ended T1 completed")
	r.send("send two")
	ended := r.story.await("ended T2 failed", "no compaction today")
	r.send("send three")
	r.story.await("ended T3 completed", "dropped=[]")
	if r.quirks.KeepsFailed {
		require.Contains(t, ended, "dropped=[]")
		require.NotZero(t, r.story.count("request turn", `"send two"`))
	} else {
		require.Contains(t, ended, `dropped=["c-send two"]`)
		require.Zero(t, r.story.count("request turn", `"send two"`))
	}
}

func TestLiveResumeForkHistory(t *testing.T) {
	r := newLiveRig(t, nil, mp.Reply{To: mp.Turn, Say: []string{"hello"}})
	r.open(nil)
	before := r.do(agentcore.ReadHistory{})
	r.story.await("answer 1 ")
	require.Empty(t, r.values[before], "a thread that nobody wrote to has a history, too")
	r.send("send one")
	r.story.await("ended T1 completed")
	fork := r.do(agentcore.Fork{})
	r.story.await("answer 3 ")
	first := r.handle
	r.close()
	r.open(&first)
	require.Equal(t, first.SessionID, r.handle.SessionID)
	r.send("send two")
	r.story.await("ended T2 completed")
	require.Equal(t, 1, r.story.count(`request turn`, `["send one" "send two"]`))
	id := r.do(agentcore.ReadHistory{})
	r.story.await("answer 6 ")
	require.Equal(t, []string{"user send one", "assistant hello", "user send two", "assistant hello"}, said(r.values[id]))
	r.close()
	forked, ok := r.values[fork].(agentcore.Handle)
	require.True(t, ok)
	r.open(&forked)
	r.send("send three")
	r.story.await("ended T3 completed")
	require.Equal(t, 1, r.story.count(`request turn`, `["send one" "send three"]`))
}

func said(history any) []string {
	var out []string
	items, _ := history.([]agentcore.HistoryItem)
	for _, i := range items {
		if i.Item.Kind == timeline.Tool {
			out = append(out, "tool "+i.Item.Name+" "+i.Item.Detail.Command)
			continue
		}
		out = append(out, string(i.Item.Kind)+" "+i.Item.Text)
	}
	return out
}

func TestLiveHistoryOnly(t *testing.T) {
	r := newLiveRig(t, nil, mp.Reply{To: mp.Turn, Say: []string{"hello"}})
	r.open(nil)
	r.send("send one")
	r.story.await("ended T1 completed")
	first := r.handle
	r.close()
	r.gone = make(chan struct{})
	r.session = r.client.Open(agentcore.OpenRequest{AgentID: "main", Resume: &first, HistoryOnly: true}, r.sink)
	r.story.await("opened")
	id := r.do(agentcore.ReadHistory{})
	r.story.await("answer")
	require.Equal(t, []string{"user send one", "assistant hello"}, said(r.values[id]))
	r.send("send two")
	r.story.await("answer", "opened to read its history only")
}

func TestLiveManualCompaction(t *testing.T) {
	r := newLiveRig(t, nil, mp.Reply{To: mp.AnyCompaction, Holds: []mp.Hold{{Gate: "summary"}}, Say: []string{"SUMMARY"}},
		mp.Reply{To: mp.Turn, Say: []string{"hello"}})
	r.open(nil)
	r.send("send one")
	r.story.await("ended T1 completed")
	r.do(agentcore.Compact{})
	r.story.await("held summary")
	r.steer("send two", "T2")
	r.story.await("answer 3", "cannot steer a compact turn")
	r.server.Release(mp.Release{Gate: "summary"})
	r.story.await("ended T2 completed")
	require.Equal(t, 1, r.story.count("compaction running manual"))
	require.Equal(t, 1, r.story.count("compaction completed manual"))
}
