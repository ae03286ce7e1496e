package codex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/internal/proc"
	mp "github.com/heldstream/heldstream/mockprovider"
)

// TestLiveKill kills codex right after a message of the second turn, or of the
// first, and sends again: a new process goes on with the conversation.
func TestLiveKill(t *testing.T) {
	item := func(nth int) codex.WireRule { return codex.WireRule{Of: "item/started", Nth: nth, Exit: true} }
	for _, c := range []struct {
		name   string
		rule   codex.WireRule
		config map[string]any
		asks   bool // the second turn asks for an approval
		first  bool // it is the first turn that dies
	}{
		{name: "turn/start sent", rule: codex.WireRule{Of: "turn/start", What: "request", Nth: 2, Exit: true}},
		{name: "turn/start answered", rule: codex.WireRule{Of: "turn/start", What: "reply", Nth: 2, Exit: true}},
		{name: "first turn/start answered", rule: codex.WireRule{Of: "turn/start", What: "reply", Nth: 1, Exit: true}, first: true},
		{name: "turn started", rule: codex.WireRule{Of: "turn/started", Nth: 2, Exit: true}},
		{name: "prompt taken", rule: item(3)},
		{name: "message begun", rule: item(4)},
		{name: "message growing", rule: codex.WireRule{Of: "item/agentMessage/delta", Nth: 2, Exit: true}},
		{name: "compaction begun", rule: item(3), config: compactEarly},
		{name: "compaction done", rule: codex.WireRule{Of: "item/completed", Nth: 3, Exit: true}, config: compactEarly},
		{name: "approval asked", rule: codex.WireRule{Of: "item/commandExecution/requestApproval", What: "request", Exit: true}, config: asksFirst, asks: true},
		{name: "approval answered", rule: codex.WireRule{Of: "item/commandExecution/requestApproval", What: "reply", Exit: true}, config: asksFirst, asks: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			replies := []mp.Reply{
				{To: mp.AnyCompaction, Say: []string{"SUMMARY"}},
				{To: mp.Turn, Times: 1, Optional: true, Say: []string{"one"}, Tokens: &mp.Tokens{Input: 50_000}},
			}
			if c.asks {
				replies = append(replies, escalated("touch made"))
			}
			r := newLiveRig(t, c.config, append(replies, mp.Reply{To: mp.Turn, Say: []string{"hello"}})...)
			rule := c.rule
			rule.Times = 1
			live := r.client.Backend
			r.client.Backend = &codex.Wire{Backend: live, Rules: []codex.WireRule{rule}}
			r.open(nil)
			r.send("send one")
			if !c.first {
				r.story.await("ended T1 completed")
				r.send("send two")
			}
			if c.asks {
				r.story.await("asked")
				r.do(agentcore.Respond{Request: r.asks[0], Response: agentcore.PermissionResponse{Allow: true}})
			}
			r.story.await("exited -1 killed")
			r.story.await("Codex app-server exited with signal killed")
			require.LessOrEqual(t, r.story.count("ended", "failed"), 1)
			require.Equal(t, r.story.count("ended", "failed"), r.story.count("ended", "failed", "Unknown model mock-model"), "a turn that failed has the end of stderr")
			require.Zero(t, proc.EndMarked(r.mark), "something outlived codex")
			r.send("send three")
			r.story.await("ended", "completed")
			require.Equal(t, c.first, r.story.count("setting session") > 0, "only a thread that holds nothing is not resumed")
			require.NotZero(t, r.story.count("request turn", `"send three"`))
			if !c.first {
				require.NotZero(t, r.story.count("request turn", `"send one"`, `"send three"`), "the conversation went on")
			}
		})
	}
}
