package codex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
)

// TestAsks: 13.X1 and 13.X2 questions, 13.X3 commands, 13.X4 files, 13.X5
// elicitations.
func TestAsks(t *testing.T) {
	allow := agentcore.PermissionResponse{Allow: true}
	deny := agentcore.PermissionResponse{}
	stop := agentcore.PermissionResponse{Interrupt: true}
	question := map[string]any{"questions": []any{
		map[string]any{"id": "q1", "header": "Color", "question": "Which?", "options": []any{map[string]any{"label": "red"}, map[string]any{"label": "blue"}}},
		map[string]any{"id": "q2", "header": "Size", "question": "How big?"},
	}}
	for _, c := range []struct {
		name     string
		method   string
		params   map[string]any
		response agentcore.PermissionResponse
		title    string
		result   string // what codex gets
	}{
		{"command accepted", "item/commandExecution/requestApproval", map[string]any{"command": `/bin/bash -lc 'rm x'`}, allow, "permission-i1 CodexBash: Run command: rm x", `{"decision":"accept"}`},
		{"command declined", "item/commandExecution/requestApproval", map[string]any{"command": "rm x"}, deny, "permission-i1 CodexBash: Run command: rm x", `{"decision":"decline"}`},
		{"command and turn canceled", "item/commandExecution/requestApproval", map[string]any{"command": []any{"sh", "-c", "rm x"}}, stop, "permission-i1 CodexBash: Run command: rm x", `{"decision":"cancel"}`},
		{"file change", "item/fileChange/requestApproval", map[string]any{}, allow, "permission-i1 CodexFileChange: Apply file changes", `{"decision":"accept"}`},
		{"answers by header and id", "item/tool/requestUserInput", question, agentcore.PermissionResponse{Allow: true, Answers: map[string][]string{"Color": {"blue"}, "q2": {"XL"}}}, "permission-i1 request_user_input: Question", `{"answers":{"q1":{"answers":["blue"]},"q2":{"answers":["XL"]}}}`},
		{"an answer left out is the first option", "tool/requestUserInput", question, allow, "permission-i1 request_user_input: Question", `{"answers":{"q1":{"answers":["red"]},"q2":{"answers":[]}}}`},
		{"a question denied", "item/tool/requestUserInput", question, deny, "permission-i1 request_user_input: Question", `{"answers":{"q1":{"answers":[]},"q2":{"answers":[]}}}`},
		{"elicitation accepted", "mcpServer/elicitation/request", map[string]any{"message": "ok?"}, allow, "permission-i1 CodexElicitation: ok?", `{"action":"accept","content":{}}`},
		{"elicitation declined", "mcpServer/elicitation/request", map[string]any{"message": "ok?"}, deny, "permission-i1 CodexElicitation: ok?", `{"action":"decline"}`},
		{"elicitation of a page", "mcpServer/elicitation/request", map[string]any{"mode": "url"}, allow, "", `{"action":"decline"}`},
		{"elicitation of a form", "mcpServer/elicitation/request", map[string]any{"requestedSchema": map[string]any{"required": []any{"a"}}}, allow, "", `{"action":"decline"}`},
		{"permissions", "item/permissions/requestApproval", map[string]any{"permissions": map[string]any{"network": true}}, allow, "permission-i1 CodexPermissions: Grant permissions", `{"permissions":{"network":true},"scope":"turn"}`},
		{"permissions refused", "item/permissions/requestApproval", map[string]any{"permissions": map[string]any{"network": true}}, deny, "permission-i1 CodexPermissions: Grant permissions", `{"permissions":{},"scope":"turn"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake(t, newServer(), func(r *fakeRig) {
				r.running()
				c.params["turnId"], c.params["itemId"] = "turn-1", "i1"
				r.server.Ask(c.method, c.params)
				events := r.take()
				if c.title != "" {
					require.Contains(t, events, "asked "+c.title)
					r.do(agentcore.Respond{Request: "permission-i1", Response: c.response})
					require.Contains(t, r.take(), "answer 2")
				}
				replies := r.server.Calls("")
				require.Len(t, replies, 1)
				require.JSONEq(t, c.result, string(replies[0].Result))
			})
		})
	}
}

func TestAskLives(t *testing.T) {
	ask := func(r *fakeRig) string {
		return r.server.Ask("item/commandExecution/requestApproval", map[string]any{"turnId": "turn-1", "itemId": "i1", "command": "ls"})
	}
	table(t, []row{
		{
			name: "two for one item have two ids",
			do: func(r *fakeRig) {
				r.running()
				ask(r)
				ask(r)
			},
			want: []string{"asked permission-i1 CodexBash: Run command: ls", "asked permission-i1-2 CodexBash: Run command: ls"},
		},
		{
			name: "codex waits no more",
			do: func(r *fakeRig) {
				r.running()
				id := ask(r)
				r.take()
				r.server.Print(`{"method":"serverRequest/resolved","params":{"threadId":"thread-1","requestId":` + id + `}}`)
				r.do(agentcore.Respond{Request: "permission-i1"})
			},
			want: []string{"resolved permission-i1 allow=false canceled", `answer 2 error: no permission request "permission-i1" is open`},
		},
		{
			name: "a question that nobody answers is no completed call",
			do: func(r *fakeRig) {
				r.running()
				r.server.Ask("item/tool/requestUserInput", map[string]any{"turnId": "turn-1", "itemId": "i1"})
				r.take()
				r.do(agentcore.InterruptTurn{})
				r.take()
				r.server.Crash(codex.Exit{Code: 1})
			},
			want: []string{`item tool request_user_input canceled ""`, "resolved permission-i1 allow=false canceled"},
		},
		{
			name: "what was answered is resolved once",
			do: func(r *fakeRig) {
				r.running()
				id := ask(r)
				r.take()
				r.do(agentcore.Respond{Request: "permission-i1", Response: agentcore.PermissionResponse{Allow: true}})
				r.take()
				r.server.Print(`{"method":"serverRequest/resolved","params":{"threadId":"thread-1","requestId":` + id + `}}`)
			},
		},
		{
			name: "codex dies",
			do: func(r *fakeRig) {
				r.running()
				ask(r)
				r.take()
				r.server.Crash(codex.Exit{Code: 1})
			},
			want: []string{"resolved permission-i1 allow=false canceled", "ended turn-1 failed Codex app-server exited with code 1"},
		},
		{
			name: "the session is closed: codex is told to cancel",
			do: func(r *fakeRig) {
				r.running()
				ask(r)
				r.take()
				r.do(agentcore.CloseSession{})
				r.take()
				require.JSONEq(r.t, `{"decision":"cancel"}`, string(r.server.Calls("")[0].Result))
				r.session = nil
			},
		},
	})
}

func planned(r *fakeRig) {
	r.open(agentcore.SessionConfig{Features: map[string]any{"plan_mode": true}})
	r.start("plan it")
	r.take()
	r.server.Begin()
	r.server.Notify("turn/plan/updated", map[string]any{"turnId": "turn-1", "plan": []any{map[string]any{"step": "dig"}}})
	r.server.Echo("u1", "c-plan it", "plan it")
	r.server.Complete()
}

// TestPlans: 13.X6, 13.X7, 13.X8, and 13.X9 in the second one.
func TestPlans(t *testing.T) {
	offered := []string{
		"started turn-1", "taken c-plan it u1", `item tool plan_approval running ""`,
		"asked permission-plan-turn-1 CodexPlan: Implement this plan?", "ended turn-1 completed",
	}
	fake(t, newServer(), func(r *fakeRig) {
		planned(r)
		r.expect(offered...)
		require.Contains(t, string(r.server.Calls("turn/start")[0].Params), `"mode":"plan"`)
		id := r.do(agentcore.Respond{Request: "permission-plan-turn-1", Response: agentcore.PermissionResponse{Allow: true}})
		r.expect("setting plan_mode=false", `item tool plan_approval completed ""`, "resolved permission-plan-turn-1 allow=true", "answer 2 Implement the plan.")
		require.Equal(t, "Implement the plan.", r.values[id])
		r.start("go")
		r.take()
		require.Contains(t, string(r.server.Calls("turn/start")[1].Params), `"collaborationMode":{"mode":"default"`, "13.X7, 13.X8: codex would go on planning")
	})
	fake(t, newServer(), func(r *fakeRig) {
		planned(r)
		r.expect(offered...)
		r.start("something else")
		r.expect(`item tool plan_approval canceled ""`, "resolved permission-plan-turn-1 allow=false Dismissed by a new prompt", "answer 2 turn-2")
	})
}
