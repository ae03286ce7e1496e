package mockprovider_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	mp "github.com/heldstream/heldstream/mockprovider"
)

const trigger = `{"model":"m","stream":true,"input":[{"type":"message","role":"user","content":"a"},{"type":"compaction_trigger"}]}`

func TestClasses(t *testing.T) {
	script := &mp.Script{CompactPrompt: "shorten it", Replies: []mp.Reply{{To: mp.AnyClass}}}
	user := func(s string) string { return body(s) }
	for _, tt := range []struct {
		name, method, path, body string
		headers                  []string
		want                     mp.Class
		why                      string
	}{
		{"turn", "POST", "/v1/responses", user("a"), nil, mp.Turn, "no other sign"},
		{"bedrock path", "POST", "/openai/v1/responses", user("a"), nil, mp.Turn, "no other sign"},
		{"prewarm", "POST", "/v1/responses", `{"generate":false}`, nil, mp.Prewarm, "generate is false"},
		{"v2", "POST", "/v1/responses", trigger, nil, mp.CompactionV2, "compaction_trigger item"},
		{"v2 of 0.130", "POST", "/v1/responses", `{"input":[{"type":"context_compaction"}]}`, nil, mp.CompactionV2, "open context_compaction item"},
		{"answered context_compaction", "POST", "/v1/responses", `{"input":[{"type":"context_compaction","encrypted_content":"x"}]}`, nil, mp.Turn, "no other sign"},
		{"v1", "POST", "/v1/responses/compact", user("a"), nil, mp.CompactionV1, "path"},
		{"inline by metadata", "POST", "/v1/responses", user("anything"), []string{"x-codex-turn-metadata", `{"request_kind":"compaction"}`}, mp.CompactionInline, "request_kind"},
		{"inline by the prompt of old versions", "POST", "/v1/responses", user("You are performing a CONTEXT CHECKPOINT COMPACTION."), nil, mp.CompactionInline, "compaction prompt"},
		{"inline by an own prompt", "POST", "/v1/responses", user("shorten it"), nil, mp.CompactionInline, "compaction prompt"},
		{"the marker in a turn", "POST", "/v1/responses", user("CONTEXT CHECKPOINT COMPACTION"), []string{"x-codex-turn-metadata", `{"request_kind":"turn"}`}, mp.Turn, "no other sign"},
		{"the marker earlier", "POST", "/v1/responses", body("CONTEXT CHECKPOINT COMPACTION", "b"), nil, mp.Turn, "no other sign"},
		{"compaction of a sub-agent", "POST", "/v1/responses", trigger, []string{"x-openai-subagent", "collab_spawn"}, mp.CompactionV2, "compaction_trigger item"},
		{"sub-agent", "POST", "/v1/responses", user("a"), []string{"x-openai-subagent", "collab_spawn"}, mp.Subagent, "sub-agent collab_spawn"},
		{"review", "POST", "/v1/responses", user("a"), []string{"x-openai-subagent", "review"}, mp.Review, "sub-agent review"},
		{"guardian", "POST", "/v1/responses", user("a"), []string{"x-openai-subagent", "guardian"}, mp.Guardian, "sub-agent guardian"},
		{"guardian by source", "POST", "/v1/responses", user("a"), []string{"x-codex-turn-metadata", `{"thread_source":"guardian_review"}`}, mp.Guardian, "thread_source"},
		{"models", "GET", "/v1/models", "", nil, mp.Models, "path"},
		{"side", "POST", "/backend/ps/mcp", "{}", nil, mp.Side, "path"},
		{"unknown", "POST", "/v1/chat/completions", "{}", nil, mp.Unknown, "no such endpoint: POST /v1/chat/completions"},
		{"wrong method", "GET", "/v1/responses", "", nil, mp.Unknown, "method GET"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, &mp.Server{Script: script, Lenient: true}, func(t *testing.T, r *rig) {
				r.send(tt.method, tt.path, tt.body, tt.headers...)
				x := r.seen()[0].Exchange
				require.Equal(t, tt.want, x.Class)
				require.Equal(t, tt.why, x.Why)
			})
		})
	}
}

func TestOneReplyServesAllCompactions(t *testing.T) {
	for _, reply := range []mp.Reply{{To: mp.AnyCompaction, Say: []string{"SUM"}}, {To: mp.AnyCompaction, Compaction: []string{"SUM"}}} {
		inBubble(t, &mp.Server{Script: &mp.Script{Replies: []mp.Reply{reply}}}, func(t *testing.T, r *rig) {
			v1 := r.send("POST", "/v1/responses/compact", body("keep me"))
			require.Equal(t, "keep me", gjson.Get(v1.raw, "output.0.content.0.text").Str, "the output replaces the history: user messages come back")
			require.Equal(t, "SUM", gjson.Get(v1.raw, "output.1.encrypted_content").Str)
			v2 := r.send("POST", "/v1/responses", trigger)
			last := string(v2.events[len(v2.events)-1].Data)
			require.Equal(t, `["compaction"]`, gjson.Get(last, "response.output.#.type").Raw, "exactly one compaction item")
			require.Equal(t, "SUM", gjson.Get(last, "response.output.0.encrypted_content").Str)
			inline := r.ask(codex{"T", "1", "compaction"}, "a")
			require.Equal(t, "SUM", gjson.GetBytes(inline.events[len(inline.events)-1].Data, "response.output.0.content.0.text").Str)
		})
	}
}

func TestCompactionItemsCanBeNoneOrTwo(t *testing.T) {
	for n, items := range [][]string{{}, {"a"}, {"a", "b"}} {
		inBubble(t, &mp.Server{Script: &mp.Script{Replies: []mp.Reply{{To: mp.CompactionV2, Say: []string{"noise"}, Compaction: items}}}}, func(t *testing.T, r *rig) {
			got := r.send("POST", "/v1/responses", trigger)
			require.Equal(t, n, strings.Count(got.raw, `"type":"response.output_item.done"`)-1, "beside the message")
		})
	}
}

func TestModelsAndSideRequests(t *testing.T) {
	script := &mp.Script{
		Models:  raws(`{"slug":"gpt-x","context_window":9}`),
		Replies: []mp.Reply{{To: mp.Side, Path: "/alpha/search", Body: `{"found":${n}}`}},
	}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		list := r.send("GET", "/v1/models?client_version=0.171.0", "")
		require.Equal(t, "gpt-x", gjson.Get(list.raw, "models.0.slug").Str)
		require.Equal(t, "gpt-x", gjson.Get(list.raw, "data.0.id").Str)
		require.NotEmpty(t, list.header.Get("ETag"))
		require.Equal(t, "gpt-x", gjson.Get(r.send("GET", "/v1/models/gpt-x", "").raw, "id").Str)
		none := r.send("GET", "/v1/models/gpt-y", "")
		require.Equal(t, 404, none.status)
		require.Empty(t, none.header.Get("ETag"), "headers that answers share stay as they are")
		require.Equal(t, "refresh_1", gjson.Get(r.send("POST", "/oauth/token", "grant_type=refresh_token", "Content-Type", "application/x-www-form-urlencoded").raw, "refresh_token").Str)
		require.Equal(t, 404, r.send("GET", "/backend-api/wham/accounts/check", "").status)
		require.Equal(t, `{"found":1}`, r.send("POST", "/v1/alpha/search", "{}").raw, "a scripted answer comes first")
		require.NotContains(t, strings.Join(r.takeLog(), "\n"), "unmatched")
		require.Equal(t, 400, r.send("POST", "/v1/nothing", "{}").status)
		require.Contains(t, r.takeLog()[0], "unmatched")
	})
}
