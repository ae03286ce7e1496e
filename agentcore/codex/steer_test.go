package codex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/codextest"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

func TestSteer(t *testing.T) {
	table(t, []row{
		{
			name: "13.U1: sends codex's id and the sender's",
			do: func(r *fakeRig) {
				r.running()
				r.steer("two")
				r.take()
				require.JSONEq(r.t, `{"threadId":"thread-1","expectedTurnId":"turn-1","clientUserMessageId":"c-two",
					"input":[{"type":"text","text":"two","text_elements":[]}]}`, string(r.server.Calls("turn/steer")[0].Params))
				r.server.Echo("u2", "c-two", "two")
			},
			want: []string{"taken c-two u2"},
		},
		{
			name:   "between the answer to turn/start and turn/started it waits",
			reason: "codex would refuse it there, and the sender replace the turn",
			do: func(r *fakeRig) {
				r.started()
				r.steer("two")
				r.take()
				require.Empty(r.t, r.server.Calls("turn/steer"))
				r.server.Begin()
			},
			want: []string{"started turn-1", "answer 2 turn-1"},
		},
		{
			name:   "13.U3: a turn that is never announced",
			reason: "the wait is bounded",
			do: func(r *fakeRig) {
				r.started()
				r.steer("two")
				r.take()
				r.clock.expire(codex.TimerStart)
			},
			want: []string{"answer 2 unavailable not_identified: turn turn-1 was never announced"},
		},
		{
			name: "13.U9: its turn ends while it waits",
			do: func(r *fakeRig) {
				r.started()
				r.steer("two")
				r.take()
				r.server.Complete()
			},
			want: []string{`ended turn-1 completed dropped=["c-one"]`, "answer 2 unavailable not_identified: turn turn-1 was never announced"},
		},
		{
			name: "no turn",
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				r.steer("two")
			},
			want: []string{"opened thread-1", "answer 1 unavailable no_turn: no active turn to steer"},
		},
		{
			name: "13.U2: another turn",
			do: func(r *fakeRig) {
				r.running()
				r.do(agentcore.SteerTurn{Prompt: agentcore.Prompt{Text: "x"}, Turn: "turn-0"})
			},
			want: []string{"answer 2 unavailable id_mismatch: expected active turn id `turn-0` but found `turn-1`"},
		},
		{
			name: "13.U4: a slash command",
			do: func(r *fakeRig) {
				r.running()
				r.steer("/compact")
			},
			want: []string{"answer 2 unavailable slash_command: a slash command cannot be steered into a turn"},
		},
		{
			name:   "accepted, and its turn ends without it",
			reason: "the text is in no history: that is a refusal, not a success",
			server: silent("turn/steer"),
			do: func(r *fakeRig) {
				r.running()
				r.steer("two")
				r.take()
				r.server.Complete()
				id := r.server.Calls("turn/steer")[0].ID
				r.server.Print(string(codextest.Reply(id, map[string]any{"turnId": "turn-1"})))
			},
			want: []string{"ended turn-1 completed", "answer 2 unavailable no_turn: turn turn-1 ended before it took the text"},
		},
		{
			name: "accepted, and dropped at the turn's end",
			do: func(r *fakeRig) {
				r.running()
				r.steer("two")
				r.take()
				r.server.Complete()
			},
			want: []string{`ended turn-1 completed dropped=["c-two"]`},
		},
		{
			name:   "13.U8: codex dies under it",
			reason: "whether it was taken nobody knows",
			server: silent("turn/steer"),
			do: func(r *fakeRig) {
				r.running()
				r.steer("two")
				r.take()
				r.server.Crash(codex.Exit{Code: 101, Stderr: "panicked\n"})
			},
			want: []string{
				"answer 2 error: Codex app-server exited with code 101\npanicked",
				"ended turn-1 failed Codex app-server exited with code 101\npanicked",
			},
		},
		{
			name: "13.U10: with ClearPermissions all that is asked is denied once it is accepted",
			do: func(r *fakeRig) {
				r.running()
				r.server.Ask("item/commandExecution/requestApproval", map[string]any{"turnId": "turn-1", "itemId": "i1", "command": "ls"})
				r.do(agentcore.SteerTurn{Turn: "turn-1", Prompt: agentcore.Prompt{Text: "two"}, ClearPermissions: true})
			},
			want: []string{
				"asked permission-i1 CodexBash: Run command: ls",
				"resolved permission-i1 allow=false denied by a new message", "answer 2 turn-1",
			},
		},
	})
}

// TestSteerRefusals: 13.U5, what is surely a no; 13.U6 and 13.U7, what leaves it
// open, a strange acknowledgement too.
func TestSteerRefusals(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer codextest.Answer
		want   string
	}{
		{"unknown method", refuses(jsonrpc.MethodNotFound, "no such method", ""), "unavailable unsupported: no such method"},
		{"not steerable", refuses(jsonrpc.InvalidRequest, "cannot steer a compact turn", `{"codexErrorInfo":{"activeTurnNotSteerable":{"turnKind":"compact"}}}`), "unavailable not_steerable compact: cannot steer a compact turn"},
		{"no turn", refuses(jsonrpc.InvalidRequest, "no active turn to steer", ""), "unavailable no_turn: no active turn to steer"},
		{"mismatch", refuses(jsonrpc.InvalidRequest, "expected active turn id `a` but found `b`", ""), "unavailable id_mismatch: expected active turn id `a` but found `b`"},
		{"schema", refuses(jsonrpc.InvalidRequest, "active turn uses a different output schema", ""), "unavailable not_steerable schema: active turn uses a different output schema"},
		{"empty input", refuses(jsonrpc.InvalidRequest, "input must not be empty", ""), "error: input must not be empty"},
		{"info of another shape", refuses(jsonrpc.InvalidRequest, "m", `{"codexErrorInfo":"other"}`), "error: m"},
		{"server error", refuses(-32000, "busy", ""), "error: busy"},
		{"wrong turn", answers(map[string]any{"turnId": "turn-9"}), `error: invalid steer acknowledgement: {"turnId":"turn-9"}`},
		{"no turn in it", answers(map[string]any{}), "error: invalid steer acknowledgement: {}"},
		{"older shape", answers(map[string]any{"turn": map[string]any{"id": "turn-1"}}), "turn-1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake(t, &codextest.Server{Answers: map[string]codextest.Answer{"turn/steer": c.answer}}, func(r *fakeRig) {
				r.running()
				r.steer("two")
				r.expect("answer 2 " + c.want)
			})
		})
	}
}

func answers(result any) codextest.Answer {
	return func(codextest.Call) (any, *jsonrpc.Error) { return result, nil }
}

func TestInterrupt(t *testing.T) {
	table(t, []row{
		{
			name: "nothing runs",
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				r.do(agentcore.InterruptTurn{})
			},
			want: []string{"answer 1", "opened thread-1"},
		},
		{
			name: "13.U13: nothing runs any more",
			do: func(r *fakeRig) {
				r.running()
				r.server.Complete()
				r.do(agentcore.InterruptTurn{})
				r.take()
				require.Empty(r.t, r.server.Calls("turn/interrupt"))
			},
		},
		{
			name: "its turn ends while it waits",
			do: func(r *fakeRig) {
				r.started()
				r.do(agentcore.InterruptTurn{})
				r.take()
				r.server.Complete()
			},
			want: []string{`ended turn-1 completed dropped=["c-one"]`, "answer 2"},
		},
		{
			name:   "13.U11: before the start has reached codex",
			server: silent("initialize"),
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				r.start("one")
				r.do(agentcore.InterruptTurn{})
			},
			want: []string{"answer 1 error: codex turn start was interrupted before reaching Codex", "answer 2"},
		},
		{
			name:   "13.U12: between the answer and the announcement it waits",
			reason: "codex would say that there is no turn, and the turn would run on",
			do: func(r *fakeRig) {
				r.started()
				r.do(agentcore.InterruptTurn{})
				r.take()
				require.Empty(r.t, r.server.Calls("turn/interrupt"))
				r.server.Begin()
			},
			want: []string{"started turn-1", "answer 2", `ended turn-1 interrupted dropped=["c-one"]`},
		},
		{
			name:   "while the start is on its way",
			server: silent("turn/start"),
			do: func(r *fakeRig) {
				r.started()
				r.do(agentcore.InterruptTurn{})
				r.take()
				r.server.Autonomous()
				r.server.Print(string(codextest.Reply(r.server.Calls("turn/start")[0].ID, map[string]any{"turn": map[string]any{"id": "turn-1"}})))
			},
			want: []string{"started turn-1", "answer 1 turn-1", "answer 2", `ended turn-1 interrupted dropped=["c-one"]`},
		},
		{
			name:   "13.U17: two at once share one call",
			server: silent("turn/interrupt"),
			do: func(r *fakeRig) {
				r.running()
				r.do(agentcore.InterruptTurn{})
				r.do(agentcore.InterruptTurn{})
				r.take()
				calls := r.server.Calls("turn/interrupt")
				require.Len(r.t, calls, 1)
				r.server.Print(string(codextest.Reply(calls[0].ID, map[string]any{})))
			},
			want: []string{"answer 2", "answer 3"},
		},
		{
			name:   "13.U14: codex says that nothing runs",
			server: refusing("turn/interrupt", jsonrpc.InvalidRequest, "no active turn to interrupt"),
			do: func(r *fakeRig) {
				r.running()
				r.do(agentcore.InterruptTurn{})
			},
			want: []string{"answer 2"},
		},
		{
			name:   "13.U16: codex refuses",
			server: refusing("turn/interrupt", -32000, "busy"),
			do: func(r *fakeRig) {
				r.running()
				r.do(agentcore.InterruptTurn{})
			},
			want: []string{"answer 2 error: busy"},
		},
		{
			name:   "13.U15: no answer: the process is killed, and the next turn resumes",
			server: silent("turn/interrupt"),
			do: func(r *fakeRig) {
				r.running()
				r.do(agentcore.InterruptTurn{})
				r.take()
				r.clock.expire(codex.TimerInterrupt)
				r.take()
				r.start("two")
				r.take()
				require.Equal(r.t, 2, r.server.Starts())
				require.Len(r.t, r.server.Calls("thread/resume"), 1)
				r.server.Begin()
			},
			want: []string{"started turn-2"},
		},
	})
}

func TestInterruptTimeoutEndsTheTurn(t *testing.T) {
	fake(t, silent("turn/interrupt"), func(r *fakeRig) {
		r.running()
		r.do(agentcore.InterruptTurn{})
		r.take()
		r.clock.expire(codex.TimerInterrupt)
		r.expect("ended turn-1 interrupted", "answer 2")
	})
}
