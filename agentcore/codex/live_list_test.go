package codex_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/heldstream/heldstream/agentcore"
	mp "github.com/heldstream/heldstream/mockprovider"
)

// lastResult is what codex answered last, as JSON.
func (r *liveRig) lastResult() gjson.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.wire) - 1; ; i-- {
		if v := gjson.GetBytes(r.wire[i].line, "result"); !r.wire[i].sent && v.Exists() {
			return v
		}
	}
}

// TestLiveThreadList: threads are listed in pages, by who asks for them.
func TestLiveThreadList(t *testing.T) {
	r := newLiveRig(t, nil, mp.Reply{To: mp.Turn, Say: []string{"hello"}})
	var ids []string
	for range 2 {
		r.open(nil)
		r.send("send one")
		r.story.await("ended T", "completed")
		ids = append(ids, r.handle.SessionID)
		r.close()
	}
	r.open(nil)
	r.since("0.153.3", "the mark of its next page is a second, so threads of one second are lost")
	var listed []string
	params := map[string]any{"limit": 1, "sortKey": "created_at"}
	for range 2 {
		r.do(agentcore.Raw{Method: "thread/list", Params: params})
		r.story.await("answer", "err=<nil>")
		page := r.lastResult()
		listed = append(listed, page.Get("data.0.id").String())
		params["cursor"] = page.Get("nextCursor").String()
	}
	require.ElementsMatch(t, ids, listed)
}

// TestLiveCollaborationModes: the two that plan_mode chooses between are those
// that codex has.
func TestLiveCollaborationModes(t *testing.T) {
	r := newLiveRig(t, nil)
	r.open(nil)
	r.do(agentcore.Raw{Method: "collaborationMode/list", Params: map[string]any{}})
	r.story.await("answer", "err=<nil>")
	require.ElementsMatch(t, []any{"plan", "default"}, r.lastResult().Get("data.#.mode").Value())
}
