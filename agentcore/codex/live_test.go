package codex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	mp "github.com/heldstream/heldstream/mockprovider"
)

func TestLiveTurn(t *testing.T) {
	r := newLiveRig(t, nil, mp.Reply{To: mp.Turn, Say: []string{"hel", "lo"}})
	r.open(nil)
	r.send("send one")
	r.story.await("ended T1 completed")
	require.Equal(t, 1, r.story.count("taken T1 c-send one"), "the prompt is told as taken once, and makes no row of its own")
	require.Zero(t, r.story.count("item", "user"))
	require.Equal(t, 1, r.story.count(`item T1 assistant "hel" final=false`))
	require.Equal(t, 1, r.story.count(`item T1 assistant "" final=true`), "nothing streamed is told again")
	require.Zero(t, r.story.count("unknown"))
}

func compacting(more ...mp.Reply) []mp.Reply {
	return append([]mp.Reply{
		{To: mp.AnyCompaction, Holds: []mp.Hold{{Gate: "summary"}}, Say: []string{"SUMMARY"}},
		{To: mp.Turn, Times: 1, Say: []string{"reply ${n}"}, Tokens: &mp.Tokens{Input: 50_000}},
		{To: mp.Turn, Say: []string{"reply ${n}"}},
	}, more...)
}

var compactEarly = map[string]any{"model_auto_compact_token_limit": 10_000}

func TestLiveSteerCompacting(t *testing.T) {
	r := newLiveRig(t, compactEarly, compacting()...)
	r.open(nil)
	r.send("send one")
	r.story.await("ended T1 completed")
	r.send("send two")
	r.story.await("held summary")
	r.steer("send three", "T2")
	r.story.await("answer 3")
	require.Equal(t, 1, r.server.Release(mp.Release{Gate: "summary"}))
	r.story.await("ended T2 completed", "dropped=[]")
	require.Equal(t, 1, r.story.count("compaction running auto"))
	require.Equal(t, 1, r.story.count("compaction completed auto"))
	require.Equal(t, 1, r.story.count("taken T2 c-send two"))
	require.Equal(t, 1, r.story.count("taken T2 c-send three"))
}

func TestLiveReplaceCompacting(t *testing.T) {
	r := newLiveRig(t, compactEarly, compacting()...)
	r.open(nil)
	r.send("send one")
	r.story.await("ended T1 completed")
	r.send("send two")
	r.story.await("held summary")
	r.do(agentcore.InterruptTurn{})
	r.story.await("ended T2 interrupted")
	r.send("send three")
	r.story.await("held summary")
	require.Equal(t, 2, r.story.count("compaction running auto"))
	r.server.Release(mp.Release{Gate: "summary", Open: true})
	r.story.await("ended T3 completed")
}
