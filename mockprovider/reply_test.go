package mockprovider_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	mp "github.com/heldstream/heldstream/mockprovider"
)

func (r *rig) send(method, path, body string, headers ...string) reply {
	req, err := http.NewRequestWithContext(context.Background(), method, "http://mock"+path, strings.NewReader(body))
	require.NoError(r.t, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return r.do(req)
}

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

func TestPlainJSON(t *testing.T) {
	inBubble(t, &mp.Server{Script: sayN}, func(t *testing.T, r *rig) {
		got := r.send("POST", "/v1/responses", `{"model":"m","input":"hello"}`)
		require.Equal(t, "application/json", got.header.Get("Content-Type"))
		require.Equal(t, "completed", gjson.Get(got.raw, "status").Str)
		require.Equal(t, "reply 1", gjson.Get(got.raw, "output.0.content.0.text").Str)
		require.Equal(t, []string{"hello"}, r.seen()[0].Exchange.UserTexts)
		require.Equal(t, "json", r.seen()[0].Exchange.Transport)
	})
}

func TestEncodedBodies(t *testing.T) {
	plain := body("hello")
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	_, _ = io.WriteString(w, plain)
	require.NoError(t, w.Close())
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	require.NoError(t, err)
	zs := string(enc.EncodeAll([]byte(plain), nil))
	bomb := string(enc.EncodeAll(bytes.Repeat([]byte(" "), 1<<20), nil))
	require.NoError(t, enc.Close())
	for _, tt := range []struct {
		name, encoding, body string
		status               int
		code                 string
	}{
		{"zstd", "zstd", zs, 200, ""},
		{"gzip", "gzip", gz.String(), 200, ""},
		{"identity", "identity", plain, 200, ""},
		{"not zstd", "zstd", plain, 400, "bad_body"},
		{"zstd cut off", "zstd", zs[:len(zs)-5], 400, "bad_body"},
		{"not gzip", "gzip", plain, 400, "bad_encoding"},
		{"unknown", "br", plain, 415, "bad_encoding"},
		{"bomb", "zstd", bomb, 413, "body_too_large"},
		{"too large", "", strings.Repeat("x", 20_000), 413, "body_too_large"},
		{"no JSON", "", "{", 400, "invalid_json"},
		{"deep", "", strings.Repeat("[", 15_000), 400, "invalid_json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, &mp.Server{Script: sayN, Limits: mp.Limits{Body: 16_000}}, func(t *testing.T, r *rig) {
				got := r.send("POST", "/v1/responses", tt.body, "Content-Encoding", tt.encoding)
				require.Equal(t, tt.status, got.status, got.raw)
				require.Equal(t, tt.code, gjson.Get(got.raw, "error.code").Str)
				if tt.status == 200 {
					require.JSONEq(t, plain, string(r.seen()[0].Exchange.Body))
				} else {
					require.Equal(t, mp.Unmatched, r.seen()[0].Kind, "the run must fail, and the log say why")
				}
			})
		})
	}
}

func TestSlowBody(t *testing.T) {
	inBubble(t, &mp.Server{Script: sayN, Limits: mp.Limits{Read: time.Second}}, func(t *testing.T, r *rig) {
		slow, feed := io.Pipe()
		req, err := http.NewRequestWithContext(r.t.Context(), "POST", "http://mock/v1/responses", slow)
		require.NoError(t, err)
		got := r.do(req)
		require.NoError(t, feed.Close())
		require.Equal(t, 408, got.status)
	})
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
		require.Equal(t, 404, r.send("GET", "/v1/models/gpt-y", "").status)
		require.Equal(t, "refresh_1", gjson.Get(r.send("POST", "/oauth/token", "grant_type=refresh_token", "Content-Type", "application/x-www-form-urlencoded").raw, "refresh_token").Str)
		require.Equal(t, 404, r.send("GET", "/backend-api/wham/accounts/check", "").status)
		require.Equal(t, `{"found":1}`, r.send("POST", "/v1/alpha/search", "{}").raw, "a scripted answer comes first")
		require.NotContains(t, strings.Join(r.takeLog(), "\n"), "unmatched")
		require.Equal(t, 400, r.send("POST", "/v1/nothing", "{}").status)
		require.Contains(t, r.takeLog()[0], "unmatched")
	})
}

func TestMatching(t *testing.T) {
	exact := "two words"
	withOutput := `{"model":"m","input":[{"type":"message","role":"user","content":"a"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"exit 0"}]}`
	for _, tt := range []struct {
		name  string
		match mp.Match
		body  string
		want  bool
		miss  string
	}{
		{"contained", mp.Match{User: &mp.Text{Contains: "wo"}}, body("one", "two words"), true, ""},
		{"only the last user text", mp.Match{User: &mp.Text{Contains: "one"}}, body("one", "two words"), false, `user: want some text with "one", got "two words"`},
		{"equal", mp.Match{User: &mp.Text{Is: &exact}}, body("two words"), true, ""},
		{"not equal", mp.Match{User: &mp.Text{Is: &exact}}, body("two words."), false, `user: want "two words", got "two words."`},
		{"expression", mp.Match{User: &mp.Text{Re: "^two"}}, body("two words"), true, ""},
		{"lacks", mp.Match{Lacks: []string{"one"}}, body("one", "two"), false, `lacks: want no "one", got it in the input`},
		{"model", mp.Match{Model: "n"}, body("a"), false, `model: want "n", got "m"`},
		{"agent", mp.Match{Agent: "b"}, body("a"), false, `agent: want "b", got "main"`},
		{"nth", mp.Match{Nth: 2}, body("a"), false, "nth: want 2, got 1"},
		{"json", mp.Match{JSON: map[string]any{"input.#": int64(1), "model": "m"}}, body("a"), true, ""},
		{"json differs", mp.Match{JSON: map[string]any{"stream": false}}, body("a"), false, "json stream: want false, got true"},
		{"json absent", mp.Match{JSON: map[string]any{"tools": "*"}}, body("a"), false, "json tools: want *, got nothing"},
		{"header", mp.Match{Header: map[string]mp.Text{"X-A": {Contains: "b"}}}, body("a"), false, `header X-A: want some text with "b", got ""`},
		{"tool output", mp.Match{ToolOutput: &mp.ToolOutput{Present: true}}, withOutput, true, ""},
		{"tool output with", mp.Match{ToolOutput: &mp.ToolOutput{Contains: "exit 0"}}, withOutput, true, ""},
		{"no tool output", mp.Match{ToolOutput: &mp.ToolOutput{}}, withOutput, false, "tool_output: want none, got 1 after the last user item"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			script := &mp.Script{Replies: []mp.Reply{{To: mp.Review}, {To: mp.Turn, Match: tt.match}}}
			inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
				got := r.send("POST", "/v1/responses", tt.body)
				require.Equal(t, tt.want, got.status == 200)
				if !tt.want {
					require.True(t, strings.HasSuffix(r.takeLog()[0], "nearest is reply[1]: "+tt.miss), "got %s", gjson.Get(got.raw, "error.message"))
				}
			})
		})
	}
}

func TestFraming(t *testing.T) {
	reply := mp.Reply{To: mp.Turn, Say: []string{"grüße"}}
	base := func() mp.Reply { return reply }
	for _, tt := range []struct {
		name  string
		frame mp.Frame
		has   string
		lacks string
	}{
		{"plain", mp.Frame{}, "event: response.created\ndata: {", "\r"},
		{"one byte a write", mp.Frame{Chunk: 1}, "", ""},
		{"crlf", mp.Frame{CRLF: true, Chunk: 7}, "event: response.created\r\ndata: {", ""},
		{"no event lines", mp.Frame{NoEventLines: true}, "data: {", "event:"},
		{"done", mp.Frame{Done: true}, "data: [DONE]\n\n", ""},
		{"comments", mp.Frame{Comments: &mp.Comments{Times: 2, Before: "response.completed"}}, ": heartbeat\n\n: heartbeat\n\nevent: response.completed", ""},
		{"coalesced", mp.Frame{Coalesce: 100}, "event: response.completed", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := base()
			r.Frame = tt.frame
			inBubble(t, &mp.Server{Script: &mp.Script{Replies: []mp.Reply{r}}}, func(t *testing.T, r *rig) {
				got := r.ask(main1, "a")
				require.NoError(t, got.err)
				require.Contains(t, got.raw, tt.has)
				if tt.lacks != "" {
					require.NotContains(t, got.raw, tt.lacks)
				}
				n := len(got.events)
				if tt.frame.Done {
					n--
				}
				require.Equal(t, 9, n)
				require.Equal(t, "grüße", gjson.GetBytes(got.events[n-1].Data, "response.output.0.content.0.text").Str)
			})
		})
	}
}

func TestDelaysAndHeartbeatsUseOneClock(t *testing.T) {
	reply := mp.Reply{To: mp.Turn, Delay: time.Minute, Frame: mp.Frame{Comments: &mp.Comments{Times: 3, Every: time.Hour, Before: "response.completed"}}}
	inBubble(t, &mp.Server{Script: &mp.Script{Replies: []mp.Reply{reply}}}, func(t *testing.T, r *rig) {
		start := time.Now()
		require.NoError(t, r.ask(main1, "a").err)
		require.Equal(t, 3*time.Hour+3*time.Minute, time.Since(start), "three events, three heartbeats")
	})
}

func TestCuts(t *testing.T) {
	for _, tt := range []struct {
		name string
		cut  mp.Cut
		want string // what the client had
		fail bool   // before the headers
	}{
		{"before the headers", mp.Cut{}, "", true},
		{"after the headers", mp.Cut{After: "headers"}, "", false},
		{"after an event", mp.Cut{After: "response.created", How: "reset"}, "created", false},
		{"after bytes", mp.Cut{Bytes: 30}, "event: response.created\ndata: ", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, &mp.Server{Script: &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Cut: &tt.cut}}}}, func(t *testing.T, r *rig) {
				got := r.ask(main1, "a")
				require.Error(t, got.err)
				require.Equal(t, tt.fail, got.status == 0)
				if tt.cut.Bytes > 0 {
					require.Equal(t, tt.want, got.raw)
				} else {
					require.Equal(t, tt.want, strings.Join(got.types(), " "))
				}
				log := r.takeLog()
				require.Equal(t, "#1 ended cut", log[len(log)-1])
			})
		})
	}
}

func TestReleases(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Say: []string{"x"}, Holds: []mp.Hold{{Gate: "g", After: "response.output_text.delta"}, {Gate: "late", Before: "end"}}}}}
	start := func(r *rig, n int) []<-chan reply {
		var all []<-chan reply
		for i := range n {
			all = append(all, r.start(r.t.Context(), codex{fmt.Sprint(i), "1", "turn"}, "a"))
		}
		return all
	}
	t.Run("one of three", func(t *testing.T) {
		inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
			all := start(r, 3)
			require.Equal(t, 1, r.srv.Release(mp.Release{Gate: "g", Nth: 2}))
			synctest.Wait()
			require.Equal(t, map[string]int{"g": 2, "late": 1}, r.srv.Gates())
			require.Equal(t, "1", r.srv.Held("late")[0].Thread)
			require.Zero(t, r.srv.Release(mp.Release{Gate: "g", Agent: "other"}))
			require.Equal(t, 2, r.srv.Release(mp.Release{Gate: "g"}))
			synctest.Wait()
			require.Equal(t, 3, r.srv.Release(mp.Release{Gate: "late"}))
			for _, c := range all {
				require.NoError(t, (<-c).err)
			}
		})
	})
	t.Run("open for all that comes", func(t *testing.T) {
		inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
			require.Zero(t, r.srv.Release(mp.Release{Gate: "g", Open: true}))
			require.Zero(t, r.srv.Release(mp.Release{Gate: "late", Open: true}))
			require.NoError(t, r.ask(main1, "a").err)
		})
	})
	t.Run("failed", func(t *testing.T) {
		inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
			all := start(r, 1)
			r.srv.Release(mp.Release{Gate: "g", With: "failed:server_error"})
			got := <-all[0]
			types := got.types()
			require.Equal(t, []string{"output_text.delta", "failed"}, types[len(types)-2:])
			require.Equal(t, "server_error", gjson.GetBytes(got.events[len(types)-1].Data, "response.error.code").Str)
			r.start(r.t.Context(), codex{"0", "1", "turn"}, "a")
			require.Equal(t, []string{"1.1", "1.2"}, numbers(r.seen()), "what was released as failed is tried again")
		})
	})
	t.Run("cut", func(t *testing.T) {
		inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
			all := start(r, 1)
			r.srv.Release(mp.Release{Gate: "g", With: "cut"})
			require.Error(t, (<-all[0]).err)
		})
	})
}

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
		require.Contains(t, paths[1], `"g" was never released`)
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

func TestAccount(t *testing.T) {
	const (
		call   = `{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`
		output = `{"type":"function_call_output","call_id":"c1","output":"o"}`
	)
	for _, tt := range []struct {
		name, items, want string
	}{
		{"paired", call + "," + output, ""},
		{"custom", `{"type":"custom_tool_call","call_id":"x"},{"type":"custom_tool_call_output","call_id":"x"}`, ""},
		{"tool search by the server", `{"type":"tool_search_call","call_id":"x","execution":"server"},{"type":"tool_search_output","call_id":"x","execution":"server"}`, ""},
		{"web search has no output", `{"type":"web_search_call","status":"completed"}`, ""},
		{"no output", call, "a call without an output: " + call},
		{"no output of a custom call", `{"type":"custom_tool_call","call_id":"x"}`, "a call without an output"},
		{"no call", output, "input[0]: an output without a call before it: " + output},
		{"output first", output + "," + call, "input[0]: an output without a call before it"},
		{"two outputs", call + "," + output + "," + output, "input[2]: a second output for the same call"},
		{"two calls", call + "," + call + "," + output, "input[1]: a second call with this call_id"},
		{"other kind", call + `,{"type":"custom_tool_call_output","call_id":"c1"}`, "input[1]: an output of another kind than its call, function_call"},
		{"same id", `{"type":"message","id":"m_1"},{"type":"message","id":"m_1"}`, "input[1]: a second item with this id"},
		{"no call id", `{"type":"function_call","name":"f"}`, "input[0]: a call without a call_id"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, lenient := range []bool{false, true} {
				inBubble(t, &mp.Server{Script: sayN, Lenient: lenient}, func(t *testing.T, r *rig) {
					r.send("POST", "/v1/responses", `{"input":[`+tt.items+`]}`)
					var got string
					for _, e := range r.seen() {
						if e.Kind == mp.Violation {
							got = or(got, e.Text)
						}
					}
					if lenient {
						require.Empty(t, got)
						return
					}
					require.Contains(t, got, tt.want)
					require.Equal(t, tt.want == "", got == "")
				})
			}
		})
	}
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
