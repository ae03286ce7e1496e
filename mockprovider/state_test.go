package mockprovider_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	mp "github.com/heldstream/heldstream/mockprovider"
)

func TestTokensMeterAndWindow(t *testing.T) {
	usage := func(got reply) string {
		return gjson.GetBytes(got.events[len(got.events)-1].Data, "response.usage").Raw
	}
	total := func(got reply) int { return int(gjson.Get(usage(got), "total_tokens").Int()) }
	t.Run("given", func(t *testing.T) {
		reply := mp.Reply{To: mp.Turn, Tokens: &mp.Tokens{Input: 10, Cached: 4, Output: 5, Reasoning: 2}}
		inBubble(t, &mp.Server{Script: &mp.Script{Replies: []mp.Reply{reply}}}, func(t *testing.T, r *rig) {
			require.JSONEq(t, `{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":15}`, usage(r.ask(main1, "a")))
		})
	})
	t.Run("omitted", func(t *testing.T) {
		reply := mp.Reply{To: mp.Turn, Tokens: &mp.Tokens{Omitted: true}}
		inBubble(t, &mp.Server{Script: &mp.Script{Replies: []mp.Reply{reply}}}, func(t *testing.T, r *rig) {
			require.Empty(t, usage(r.ask(main1, "a")))
		})
	})
	t.Run("meter", func(t *testing.T) {
		script := &mp.Script{Meter: &mp.Meter{Start: 1000, PerTurn: 100}, Replies: []mp.Reply{{To: mp.AnyClass, Say: []string{"x"}}}}
		inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
			require.Equal(t, 1000, total(r.ask(codex{"T", "1", "turn"}, "a")))
			require.Equal(t, 1000, total(r.ask(codex{"T", "1", "turn"}, "a")), "the follow-up of the same turn")
			require.Equal(t, 1100, total(r.ask(codex{"T", "2", "turn"}, "a")))
			require.Equal(t, 1000, total(r.ask(codex{"U", "9", "turn"}, "a")), "a thread of its own")
			r.ask(codex{"T", "3", "compaction"}, "a")
			require.Equal(t, 1000, total(r.ask(codex{"T", "3", "turn"}, "a")), "a compaction begins anew")
		})
	})
	t.Run("window", func(t *testing.T) {
		script := &mp.Script{Window: 50, Replies: []mp.Reply{{To: mp.Turn, Times: 1}}}
		inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
			got := r.ask(main1, strings.Repeat("x", 300))
			require.Equal(t, 400, got.status)
			require.Equal(t, "context_length_exceeded", gjson.Get(got.raw, "error.code").Str)
			require.Equal(t, 200, r.ask(main1, "a").status, "it used up no reply")
			require.Equal(t, []string{"1.1", "1.2"}, numbers(r.seen()))
		})
	})
}

func TestExpansion(t *testing.T) {
	script := &mp.Script{
		Expand: func(agent, name string) (string, bool) { return agent + `"` + name, name == "where" },
		Replies: []mp.Reply{{
			To: mp.Turn, Say: []string{"${n} ${where} ${what} ${"},
			Call: []mp.Call{{Tool: "f", Args: json.RawMessage(`{"cmd":"ls ${where}"}`)}},
		}},
	}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		got := r.ask(main1, "a")
		last := gjson.GetBytes(got.events[len(got.events)-1].Data, "response.output")
		require.Equal(t, `1 main"where ${what} ${`, last.Get("0.content.0.text").Str)
		require.JSONEq(t, `{"cmd":"ls main\"where"}`, last.Get("1.arguments").Str)
	})
}

func TestUnused(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{
		{To: mp.Turn, Times: 1, Holds: []mp.Hold{{Gate: "g"}}}, {To: mp.Turn, Times: 1}, {To: mp.Turn, Times: 1, Optional: true}, {To: mp.Turn},
	}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		r.start(r.t.Context(), main1, "a")
		var paths []string
		for _, f := range r.srv.Unused() {
			paths = append(paths, f.Path+" "+f.Message)
		}
		require.Len(t, paths, 2)
		require.Contains(t, paths[0], "reply[1]")
		require.Contains(t, paths[1], `"g" was never released: 1 still waits there; release it once for each, or once with open = true`)
	})
}

func TestResetAndSetScript(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Times: 1, Holds: []mp.Hold{{Gate: "g"}}}}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		first := r.start(r.t.Context(), main1, "a")
		r.srv.Reset()
		require.Error(t, (<-first).err, "open streams are cut")
		second := r.start(r.t.Context(), main1, "a")
		require.Len(t, r.srv.Held("g"), 1, "the reply can be used again")
		require.Equal(t, 1, r.srv.Held("g")[0].N)
		r.srv.SetScript(sayN)
		require.Error(t, (<-second).err)
		require.Contains(t, r.ask(main1, "a").raw, "reply 1")
	})
}
