package codex_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/codextest"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

func newServer() *codextest.Server { return &codextest.Server{} }

func resuming(r *fakeRig, thread string, historyOnly bool) {
	r.openWith(agentcore.OpenRequest{
		AgentID: "main", HistoryOnly: historyOnly, Resume: &agentcore.Handle{Provider: "codex", SessionID: thread},
	})
}

func TestOpen(t *testing.T) {
	archived := 0
	table(t, []row{
		{
			name: "a new thread",
			do:   func(r *fakeRig) { r.open(agentcore.SessionConfig{}) },
			want: []string{"opened thread-1"},
		},
		{
			name: "13.Y4: an old one",
			do: func(r *fakeRig) {
				resuming(r, "old", false)
				r.note("%d", len(r.take()))
				require.Empty(r.t, r.server.Calls("thread/start"))
			},
			want: []string{"1"},
		},
		{
			name: "13.Y4: an archived one",
			server: &codextest.Server{Answers: map[string]codextest.Answer{"thread/resume": func(codextest.Call) (any, *jsonrpc.Error) {
				if archived++; archived == 1 {
					return nil, &jsonrpc.Error{Code: -32600, Message: "thread old is archived"}
				}
				return map[string]any{"thread": map[string]any{"id": "old"}}, nil
			}}},
			do: func(r *fakeRig) {
				resuming(r, "old", false)
				r.note("%d", len(r.take()))
				require.Len(r.t, r.server.Calls("thread/unarchive"), 1)
			},
			want: []string{"1"},
		},
		{
			name:   "one that never had a turn",
			server: refusing("thread/resume", -32600, "no rollout found for thread id old"),
			do: func(r *fakeRig) {
				r.openWith(agentcore.OpenRequest{AgentID: "main", Unused: true, Resume: &agentcore.Handle{Provider: "codex", SessionID: "old"}})
			},
			want: []string{"opened thread-1"},
		},
		{
			name:   "13.Y4: one that is gone",
			reason: "never a new thread without a word",
			server: refusing("thread/resume", -32600, "no rollout found"),
			do: func(r *fakeRig) {
				resuming(r, "old", false)
				r.take()
				require.Empty(r.t, r.server.Calls("thread/start"))
				r.start("one")
			},
			want: []string{"answer 1 error: codex app-server client is closed"},
		},
		{
			name: "13.Y6: its history only",
			do: func(r *fakeRig) {
				resuming(r, "old", true)
				r.do(agentcore.ReadHistory{})
				r.start("one")
				r.take()
				require.Empty(r.t, r.server.Calls("thread/resume"))
				r.do(agentcore.Compact{})
			},
			want: []string{"answer 3 error: this session was opened to read its history only"},
		},
		{
			name:   "codex never answers",
			server: silent("initialize"),
			do: func(r *fakeRig) {
				r.started()
				r.clock.expire(codex.TimerStart)
			},
			want: []string{"answer 1 error: initialize: initialize was not answered in time", "gone initialize: initialize was not answered in time"},
		},
		{
			name:   "what runs is no codex",
			server: silent("initialize"),
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				r.take()
				r.server.Print("Usage: frob [OPTIONS]")
			},
			want: []string{
				`unknown : no JSON-RPC message: invalid character 'U' looking for beginning of value: "Usage: frob [OPTIONS]"`,
				`gone codex app-server printed "Usage: frob [OPTIONS]", which is no JSON-RPC message; is the binary codex?`,
			},
		},
		{
			name:   "it dies in the handshake",
			server: silent("thread/start"),
			do: func(r *fakeRig) {
				r.started()
				r.server.Crash(codex.Exit{Code: 2, Stderr: "bad config\n"})
			},
			want: []string{
				"answer 1 error: codex app-server client is closed", "gone Codex app-server exited with code 2\nbad config",
			},
		},
		{
			name: "13.X10: a mode that there is not",
			do:   func(r *fakeRig) { r.open(agentcore.SessionConfig{Mode: "yolo"}) },
			want: []string{`gone invalid Codex mode "yolo"; the modes are read-only, auto, auto-review, full-access`},
		},
	})
}

func TestOpenWithoutAProcess(t *testing.T) {
	fake(t, newServer(), func(r *fakeRig) {
		r.client.Backend = failing{}
		r.open(agentcore.SessionConfig{})
		r.expect("gone codex cannot be started: no such binary")
	})
	fake(t, newServer(), func(r *fakeRig) {
		r.client.Command = func(agentcore.OpenRequest) (codex.Command, error) {
			return codex.Command{}, errors.New("disk full")
		}
		r.open(agentcore.SessionConfig{})
		r.expect("gone codex cannot be started: disk full")
	})
}

type failing struct{}

func (failing) Start(codex.Command, codex.Callbacks) (codex.Process, error) {
	return nil, errors.New("no such binary")
}

func TestReconnect(t *testing.T) {
	table(t, []row{
		{
			name: "the next turn starts codex again and resumes",
			do: func(r *fakeRig) {
				r.running()
				r.server.Complete()
				r.server.Crash(codex.Exit{Code: 1})
				r.take()
				r.start("two")
				r.take()
				require.Equal(r.t, 2, r.server.Starts())
				require.JSONEq(r.t, `{"threadId":"thread-1"}`, string(r.server.Calls("thread/resume")[0].Params))
				r.server.Begin()
			},
			want: []string{"started turn-2"},
		},
		{
			name:   "a thread that holds nothing is begun anew",
			reason: "codex has no file of it to resume from",
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				r.take()
				r.server.Crash(codex.Exit{Code: 1})
				r.take()
				r.start("one")
				r.take()
				require.Empty(r.t, r.server.Calls("thread/resume"))
				require.Len(r.t, r.server.Calls("thread/start"), 2)
			},
		},
		{
			name: "it cannot be resumed: the call fails, and the session stays",
			do: func(r *fakeRig) {
				r.running()
				r.server.Crash(codex.Exit{Code: 1})
				r.server.Answers = map[string]codextest.Answer{"thread/resume": refuses(-32600, "gone", "")}
				r.take()
				r.start("two")
				r.take()
				r.server.Answers = nil
				r.start("three")
			},
			want: []string{"answer 3 turn-2"},
		},
		{
			name:   "an unknown thread is a stale session",
			server: refusing("turn/start", -32600, "thread not found: thread-1"),
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				id := r.start("one")
				r.take()
				r.note("%d", id)
			},
			want: []string{"1"},
		},
		{
			name: "calls after the close",
			do: func(r *fakeRig) {
				r.running()
				r.do(agentcore.CloseSession{})
				r.take()
				r.start("two")
				r.steer("three")
				r.do(agentcore.CloseSession{})
				r.do(agentcore.InterruptTurn{})
			},
			want: []string{
				"answer 3 error: codex app-server client is closed", "answer 4 error: codex app-server client is closed", "answer 5",
				"answer 6 error: codex app-server client is closed",
			},
		},
	})
}

func TestSettings(t *testing.T) {
	set := func(name string, value any) func(*fakeRig) {
		return func(r *fakeRig) {
			r.running()
			r.do(agentcore.Set{Name: name, Value: value})
		}
	}
	table(t, []row{
		{name: "mode", do: set("mode", "full-access"), want: []string{"answer 2 Permission mode applies next turn"}},
		{name: "thinking", do: set("thinking", "high"), want: []string{"answer 2 Thinking level applies next turn"}},
		{name: "model", do: set("model", "gpt-5.5"), want: []string{"answer 2 Model applies next turn"}},
		{name: "no such mode", do: set("mode", "yolo"), want: []string{`answer 2 error: invalid Codex mode "yolo"; the modes are read-only, auto, auto-review, full-access`}},
		{name: "no such feature", do: set("warp", true), want: []string{"answer 2 error: unknown Codex feature: warp"}},
		{name: "not a flag", do: set("plan_mode", "yes"), want: []string{`answer 2 error: plan_mode cannot be "yes" (string)`}},
		{name: "13.X11: fast without a model for it", do: set("fast_mode", true), want: []string{`answer 2 error: fast_mode is not available with model "mock-model"`}},
	})
	// 13.X11, 13.X12
	fake(t, newServer(), func(r *fakeRig) {
		r.open(agentcore.SessionConfig{Model: "gpt-5.5"})
		r.take()
		r.do(agentcore.Set{Name: "fast_mode", Value: true})
		r.do(agentcore.Set{Name: "mode", Value: "read-only"})
		r.expect("answer 1", "answer 2")
		r.start("one")
		r.take()
		var p map[string]any
		require.NoError(t, json.Unmarshal(r.server.Calls("turn/start")[0].Params, &p))
		require.Equal(t, "fast", p["serviceTier"])
		require.Equal(t, map[string]any{"type": "readOnly"}, p["sandboxPolicy"])
		r.do(agentcore.Set{Name: "model", Value: "llama"})
		r.expect("setting fast_mode=false", "answer 4 Model applies next turn")
		r.server.Begin()
		r.server.Complete()
		r.take()
		r.start("two")
		r.take()
		require.Contains(t, string(r.server.Calls("turn/start")[1].Params), `"serviceTier":null`, "13.X12: another model may not be fast, and codex would stay so")
	})
}

// TestModes: 13.X10, what a mode says of a thread and of a turn. Omitted, it says
// nothing.
func TestModes(t *testing.T) {
	for mode, want := range map[string][2]string{
		"":            {`{}`, `{}`},
		"read-only":   {`{"approvalPolicy":"on-request","sandbox":"read-only","approvalsReviewer":"user"}`, `{"approvalPolicy":"on-request","sandboxPolicy":{"type":"readOnly"},"approvalsReviewer":"user"}`},
		"auto":        {`{"approvalPolicy":"on-request","sandbox":"workspace-write","approvalsReviewer":"user"}`, `{"approvalPolicy":"on-request","sandboxPolicy":{"type":"workspaceWrite"},"approvalsReviewer":"user"}`},
		"auto-review": {`{"approvalPolicy":"on-request","sandbox":"workspace-write","approvalsReviewer":"auto_review"}`, `{"approvalPolicy":"on-request","sandboxPolicy":{"type":"workspaceWrite"},"approvalsReviewer":"auto_review"}`},
		"full-access": {`{"approvalPolicy":"never","sandbox":"danger-full-access","approvalsReviewer":"user"}`, `{"approvalPolicy":"never","sandboxPolicy":{"type":"dangerFullAccess"},"approvalsReviewer":"user"}`},
	} {
		fake(t, newServer(), func(r *fakeRig) {
			r.open(agentcore.SessionConfig{Mode: mode})
			r.do(agentcore.StartTurn{Prompt: agentcore.Prompt{Text: "one"}})
			r.take()
			require.JSONEq(t, want[0], string(r.server.Calls("thread/start")[0].Params))
			var turn map[string]any
			require.NoError(t, json.Unmarshal(r.server.Calls("turn/start")[0].Params, &turn))
			delete(turn, "threadId")
			delete(turn, "input")
			raw, err := json.Marshal(turn)
			require.NoError(t, err)
			require.JSONEq(t, want[1], string(raw))
		})
	}
}

// TestModesOfAnOldCodex: it knows no reviewer, so none is sent, and the mode that
// needs one is refused.
func TestModesOfAnOldCodex(t *testing.T) {
	fake(t, &codextest.Server{Version: "0.111.0"}, func(r *fakeRig) {
		r.open(agentcore.SessionConfig{Mode: "auto"})
		r.take()
		require.JSONEq(t, `{"approvalPolicy":"on-request","sandbox":"workspace-write"}`, string(r.server.Calls("thread/start")[0].Params))
		r.do(agentcore.Set{Name: "mode", Value: "auto-review"})
		r.expect(`answer 1 error: mode "auto-review" is unknown to codex 0.111.0: take auto, or a newer codex`)
	})
	fake(t, &codextest.Server{Version: "0.111.0"}, func(r *fakeRig) {
		r.open(agentcore.SessionConfig{Mode: "auto-review"})
		r.expect(`gone mode "auto-review" is unknown to codex 0.111.0: take auto, or a newer codex`)
	})
}

// TestHistory: 13.Y5, what codex tells of a thread, 13.Y10 by the handle that it
// was opened with.
func TestHistory(t *testing.T) {
	items := []any{
		map[string]any{"type": "userMessage", "id": "u1", "clientId": "c1", "content": []any{map[string]any{"type": "text", "text": "hi"}}},
		map[string]any{"type": "reasoning", "id": "r1", "summary": []any{"a", "b"}},
		map[string]any{"type": "commandExecution", "id": "t1", "command": "ls", "status": "completed", "aggregatedOutput": "x"},
		map[string]any{"type": "agentMessage", "id": "m1", "text": "ho"},
		map[string]any{"type": "agentMessage", "id": "m2", "text": " "},
		map[string]any{"type": "contextCompaction", "id": "k1"},
		"garbage",
	}
	server := &codextest.Server{Answers: map[string]codextest.Answer{"thread/read": answers(map[string]any{
		"thread": map[string]any{"id": "old", "turns": []any{map[string]any{"id": "t", "startedAt": 60, "items": items}}},
	})}}
	fake(t, server, func(r *fakeRig) {
		resuming(r, "old", false)
		id := r.do(agentcore.ReadHistory{})
		r.expect("opened old", "answer 1")
		require.JSONEq(t, `{"threadId":"old","includeTurns":true}`, string(server.Calls("thread/read")[0].Params))
		require.Equal(t, []string{"user hi", "thought a\n\nb", "tool shell ls", "assistant ho", "compaction "}, said(r.values[id]))
		history := r.values[id].([]agentcore.HistoryItem)
		require.Equal(t, "c1", history[0].Item.ClientID)
		require.Equal(t, int64(60), history[0].At.Unix())
	})
}
