package codex_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/codextest"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// table runs one test of the session a row, each against its own fake.
type row struct {
	name   string
	reason string
	server *codextest.Server // nil: as codex does when nothing is in the way
	do     func(*fakeRig)
	want   []string
}

func table(t *testing.T, rows []row) {
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) {
			if c.server == nil {
				c.server = &codextest.Server{}
			}
			fake(t, c.server, func(r *fakeRig) {
				c.do(r)
				require.Equal(t, c.want, r.take(), c.reason)
			})
			require.Empty(t, c.server.Unexpected())
		})
	}
}

// silent is a server that never answers these calls.
func silent(methods ...string) *codextest.Server { return &codextest.Server{Silent: methods} }

// refusing is a server that answers a call with an error.
func refusing(method string, code int, message string) *codextest.Server {
	return &codextest.Server{Answers: map[string]codextest.Answer{method: refuses(code, message, "")}}
}

func refuses(code int, message string, data string) codextest.Answer {
	return func(codextest.Call) (any, *jsonrpc.Error) {
		e := &jsonrpc.Error{Code: code, Message: message}
		if data != "" {
			e.Data = json.RawMessage(data)
		}
		return nil, e
	}
}

func TestTurn(t *testing.T) {
	table(t, []row{
		{
			name: "start to end",
			do: func(r *fakeRig) {
				r.started()
				r.server.Begin()
				r.server.Echo("u1", "c-one", "one")
				r.server.Say("m1", "hello")
				r.server.Complete()
			},
			want: []string{
				"started turn-1", "taken c-one u1",
				`item assistant "hello" final=false`, `item assistant "" final=true`, "ended turn-1 completed",
			},
		},
		{
			name:   "announced before it is answered",
			reason: "the wire's order is kept, whichever it is",
			server: silent("turn/start"),
			do: func(r *fakeRig) {
				r.started()
				r.server.Autonomous()
				r.server.Echo("u1", "c-one", "one")
				r.server.Complete()
				call := r.server.Calls("turn/start")[0]
				r.server.Print(string(codextest.Reply(call.ID, map[string]any{"turn": map[string]any{"id": "turn-1"}})))
				r.start("two")
			},
			want: []string{"started turn-1", "taken c-one u1", "ended turn-1 completed", "answer 1 turn-1"},
		},
		{
			name: "a text that codex drops is told with the turn's end",
			do: func(r *fakeRig) {
				r.started()
				r.server.Begin()
				r.do(agentcore.InterruptTurn{})
			},
			want: []string{"started turn-1", "answer 2", `ended turn-1 interrupted dropped=["c-one"]`},
		},
		{
			name:   "without an echo of the id the text decides",
			server: &codextest.Server{Version: "0.130.0"},
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				r.start("same")
				r.take()
				r.server.Begin()
				r.do(agentcore.SteerTurn{Prompt: agentcore.Prompt{Text: "same"}, ClientID: "second", Turn: "turn-1"})
				r.take()
				r.server.Echo("u1", "", "same")
				r.server.Echo("u2", "", "same")
				r.server.Echo("u3", "", "same")
				r.server.Complete()
			},
			want: []string{
				"taken c-same u1", "taken second u2", `item user "same" final=true`, "ended turn-1 completed",
			},
		},
		{
			name: "13.U18: a second start is refused",
			do: func(r *fakeRig) {
				r.running()
				r.start("two")
			},
			want: []string{"answer 2 error: a foreground turn is already active"},
		},
		{
			name: "a failed turn says why",
			do: func(r *fakeRig) {
				r.running()
				r.server.Notify("error", map[string]any{"turnId": "turn-1", "willRetry": true, "error": map[string]any{
					"message": "Reconnecting... 1/5", "codexErrorInfo": map[string]any{"responseStreamDisconnected": map[string]any{}},
				}})
				r.server.Fail("out of room", "contextWindowExceeded")
			},
			want: []string{
				"notice error Reconnecting... 1/5 responseStreamDisconnected retry=true", "ended turn-1 failed out of room",
			},
		},
		{
			name:   "a start that fails",
			server: refusing("turn/start", -32603, "failed to submit"),
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				r.start("one")
			},
			want: []string{"opened thread-1", "answer 1 error: failed to submit"},
		},
		{
			name:   "a start that is never answered",
			server: silent("turn/start"),
			do: func(r *fakeRig) {
				r.started()
				r.clock.expire(codex.TimerStart)
			},
			want: []string{"answer 1 error: turn/start was not answered in time"},
		},
		{
			name: "a user's item that is not ours is a row",
			do: func(r *fakeRig) {
				r.running()
				r.server.Echo("u9", "", "from elsewhere")
			},
			want: []string{`item user "from elsewhere" final=true`},
		},
	})
}

// TestTurnParams: 13.U19.
func TestTurnParams(t *testing.T) {
	server := &codextest.Server{}
	fake(t, server, func(r *fakeRig) {
		r.open(agentcore.SessionConfig{Cwd: "/w", Model: "gpt-5.5", Mode: "auto", SystemPrompt: "be", AppendSystemPrompt: "brief"})
		r.do(agentcore.StartTurn{
			ClientID: "c1",
			Prompt:   agentcore.Prompt{Text: "look", Images: []agentcore.Image{{MIME: "image/png", Data: []byte("x")}}},
			Options: agentcore.RunOptions{OutputSchema: map[string]any{
				"type": "object", "properties": map[string]any{"b": map[string]any{"type": "string"}, "a": map[string]any{"type": "string"}},
			}},
		})
		r.take()
	})
	require.JSONEq(t, `{"cwd":"/w","model":"gpt-5.5","developerInstructions":"be\n\nbrief",
		"approvalPolicy":"on-request","sandbox":"workspace-write","approvalsReviewer":"user"}`,
		string(server.Calls("thread/start")[0].Params))
	require.JSONEq(t, `{"threadId":"thread-1","clientUserMessageId":"c1","model":"gpt-5.5",
		"approvalPolicy":"on-request","sandboxPolicy":{"type":"workspaceWrite"},"approvalsReviewer":"user",
		"input":[{"type":"text","text":"look","text_elements":[]},{"type":"image","url":"data:image/png;base64,eA=="}],
		"outputSchema":{"type":"object","additionalProperties":false,"required":["a","b"],
			"properties":{"a":{"type":"string"},"b":{"type":"string"}}}}`,
		string(server.Calls("turn/start")[0].Params))
}
