package mcp_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/mcp"
)

var never = args{"notifyOnFinish": false}

func with(a args, more args) args {
	all := args{}
	for _, m := range []args{a, more} {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

func TestToolsAreListedUnderStableNames(t *testing.T) {
	got, err := newRig(t, nil).as(boss).ListTools(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range got.Tools {
		names = append(names, tool.Name)
	}
	require.Equal(t, []string{
		"cancel_agent", "create_agent", "get_agent_status", "list_agents", "respond_to_permission", "send_agent_prompt", "wait_for_agent",
	}, names)
}

func TestWrongToken(t *testing.T) {
	r := newRig(t, nil)
	for _, header := range []string{"", "Bearer nonsense", "Basic " + r.tokens.New(boss)} {
		req, err := http.NewRequest(http.MethodPost, r.web.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if header != "" {
			req.Header.Set("Authorization", header)
		}
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusUnauthorized, res.StatusCode, header)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestMalformedArgumentsNameTheField(t *testing.T) {
	r := newRig(t, nil)
	c := r.as(boss)
	for _, bad := range []struct {
		tool  string
		args  args
		field string
	}{
		{mcp.SendAgentPrompt, args{"prompt": "x"}, "agentId"},
		{mcp.SendAgentPrompt, args{"agentId": worker}, "prompt"},
		{mcp.SendAgentPrompt, args{"agentId": worker, "prompt": 7}, "prompt"},
		{mcp.SendAgentPrompt, args{"agentId": worker, "prompt": " "}, "prompt"},
		{mcp.SendAgentPrompt, args{"agentId": worker, "prompt": "x", "behaviour": "steer"}, "behaviour"},
		{mcp.SendAgentPrompt, args{"agentId": worker, "prompt": "x", "behavior": "stear"}, "behavior"},
		{mcp.SendAgentPrompt, args{"agentId": worker, "prompt": "x", "background": "yes"}, "background"},
		{mcp.SendAgentPrompt, args{"agentId": "worker", "prompt": "x"}, "agentId"},
		{mcp.SendAgentPrompt, args{"agentId": boss, "prompt": "x", "background": false}, "agentId"},
		{mcp.WaitForAgent, args{"agentId": boss}, "agentId"},
		{mcp.WaitForAgent, args{}, "agentId"},
		{mcp.WaitForAgent, args{"agentId": "worker"}, "agentId"},
		{mcp.GetAgentStatus, args{"agentId": nobody}, "agentId"},
		{mcp.SendAgentPrompt, args{"agentId": nobody, "prompt": "x"}, "agentId: Agent not found: " + nobody + "; list_agents lists"},
		{mcp.WaitForAgent, args{"agentId": nobody}, "agentId: Unknown agent '" + nobody + "'; list_agents lists"},
		{mcp.CancelAgent, args{"agentId": nobody}, "agentId: Unknown agent '" + nobody + "'; list_agents lists"},
		{mcp.RespondToPermission, args{"agentId": nobody, "requestId": "p", "response": args{"behavior": "deny"}}, "agentId: Unknown agent"},
		{mcp.CancelAgent, args{"agent": worker}, "agent"},
		{mcp.ListAgents, args{"all": true}, "all"},
		{mcp.CreateAgent, args{"labels": "red"}, "labels"},
		{mcp.RespondToPermission, args{"agentId": worker, "response": args{"behavior": "allow"}}, "requestId"},
		{mcp.RespondToPermission, args{"agentId": worker, "requestId": "p", "response": args{}}, "behavior"},
		{mcp.RespondToPermission, args{"agentId": worker, "requestId": "p", "response": args{"behavior": "maybe"}}, "response.behavior"},
	} {
		text, failed := r.try(c, bad.tool, bad.args)
		require.True(t, failed, "%s %v: %s", bad.tool, bad.args, text)
		require.Contains(t, text, bad.field, "%s %v", bad.tool, bad.args)
	}
}

func TestSendInTheBackgroundNotifiesOnceAndOnlyOnce(t *testing.T) {
	r := newRig(t, nil)
	got := r.call(r.as(boss), mcp.SendAgentPrompt, args{"agentId": worker, "prompt": "dig"})
	require.JSONEq(t, `{"success":true,"disposition":"started","agentId":"`+worker+`","status":"running","lastMessage":null,"permission":null}`, got)
	require.Equal(t, []string{"dig"}, r.texts(worker))
	require.Empty(t, r.texts(boss))

	r.fake.of(worker).say("a hole")
	r.fake.of(worker).end(agentcore.TurnCompleted)
	r.settle(1)
	news := mcp.SystemText("Agent " + worker + " (worker) has finished. Its last message:\na hole")
	require.Equal(t, []string{news}, r.texts(boss))

	_, err := r.Send(t.Context(), agentcore.SendRequest{AgentID: worker, Prompt: agentcore.Prompt{Text: "again"}})
	require.NoError(t, err)
	r.fake.of(worker).end(agentcore.TurnCompleted)
	r.settle(1)
	require.Equal(t, []string{news}, r.texts(boss), "of the later turn nobody asked to hear")
}

func TestNotifications(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(*session)
		says string
	}{
		{"silent end", func(s *session) { s.end(agentcore.TurnCompleted) }, "has finished and said nothing"},
		{"failure", func(s *session) { s.end(agentcore.TurnFailed) }, "has failed: out of quota\n</agent-system>"},
		{"permission, and the end after it", func(s *session) { s.ask(); s.end(agentcore.TurnCompleted) }, "asks for permission p1: Run command: ls"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			r.call(r.as(boss), mcp.SendAgentPrompt, args{"agentId": worker, "prompt": "dig"})
			c.then(r.fake.of(worker))
			r.settle(1)
			require.Len(t, r.texts(boss), 1)
			require.Contains(t, r.texts(boss)[0], c.says)
		})
	}
}

func TestNobodyIsNotified(t *testing.T) {
	for _, c := range []struct {
		name   string
		caller string
		args   args
		then   func(*rig)
	}{
		{"who does not want it", boss, never, func(*rig) {}},
		{"who waited", boss, args{"background": false}, nil},
		{"a caller that is no agent", "", args{"background": true}, func(*rig) {}},
		{"a caller that is closed by then", boss, nil, func(r *rig) { require.NoError(r.t, r.Manager.Close(r.t.Context(), boss)) }},
		{"of an agent that was closed", boss, nil, func(r *rig) { require.NoError(r.t, r.Manager.Close(r.t.Context(), worker)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			done := r.background(t.Context(), r.as(c.caller), mcp.SendAgentPrompt, with(args{"agentId": worker, "prompt": "dig"}, c.args))
			if c.then != nil {
				<-done
				c.then(r)
			}
			r.settle(1)
			r.fake.of(worker).end(agentcore.TurnCompleted)
			if c.then == nil {
				<-done
			}
			r.settle(1)
			require.Empty(t, r.texts(boss))
		})
	}
}

func TestSendInTheForegroundWaits(t *testing.T) {
	r := newRig(t, nil)
	done := r.background(t.Context(), r.as(""), mcp.SendAgentPrompt, args{"agentId": worker, "prompt": "dig"})
	r.settle(1)
	require.Empty(t, done, "nothing has ended")
	r.fake.of(worker).say("a hole")
	r.fake.of(worker).end(agentcore.TurnCompleted)
	got := decode(t, <-done)
	require.Equal(t, "idle", got["status"])
	require.Equal(t, "a hole", got["lastMessage"])
}

func TestSendOpensAnAgentThatIsClosed(t *testing.T) {
	r := newRig(t, nil)
	require.NoError(t, r.Manager.Close(t.Context(), worker))
	c := r.as(boss)
	require.Contains(t, r.call(c, mcp.GetAgentStatus, args{"agentId": worker}), `"status":"closed"`)
	require.Contains(t, r.call(c, mcp.SendAgentPrompt, with(args{"agentId": worker, "prompt": "dig"}, never)), `"status":"running"`)
}

func TestBehavior(t *testing.T) {
	queue, _ := agentcore.PresetNamed("queue")
	for _, c := range []struct{ named, gives string }{{"", "queued"}, {"replace", "started"}} {
		r := newRig(t, func(o *mcp.Options) { o.Policy = queue })
		client := r.as(boss)
		r.call(client, mcp.SendAgentPrompt, with(args{"agentId": worker, "prompt": "dig"}, never))
		a := with(args{"agentId": worker, "prompt": "stop"}, never)
		if c.named != "" {
			a["behavior"] = c.named
		}
		require.Contains(t, r.call(client, mcp.SendAgentPrompt, a), `"disposition":"`+c.gives+`"`)
	}
}

func TestWaitPermissionAndCancel(t *testing.T) {
	r := newRig(t, nil)
	c, other := r.as(boss), r.as("")
	require.Contains(t, r.call(c, mcp.WaitForAgent, args{"agentId": worker}), `"status":"idle"`, "at once, of one that is idle")

	r.call(c, mcp.SendAgentPrompt, with(args{"agentId": worker, "prompt": "dig"}, never))
	done := r.background(t.Context(), c, mcp.WaitForAgent, args{"agentId": worker})
	r.settle(3)
	require.Empty(t, done)
	r.fake.of(worker).ask()
	require.Equal(t, map[string]any{"id": "p1", "kind": "tool", "title": "Run command: ls"}, decode(t, <-done)["permission"])

	require.Contains(t, r.call(other, mcp.GetAgentStatus, args{"agentId": worker}), `"permissions":[{"id":"p1"`)
	require.JSONEq(t, `{"success":true}`, r.call(other, mcp.RespondToPermission,
		args{"agentId": worker, "requestId": "p1", "response": args{"behavior": "allow"}}))
	require.JSONEq(t, `{"success":true,"outcome":"settled"}`, r.call(other, mcp.CancelAgent, args{"agentId": worker}))
	require.JSONEq(t, `{"success":true,"outcome":"not_running"}`, r.call(other, mcp.CancelAgent, args{"agentId": worker}))
}

func TestAMessageToOneselfIsNoReasonForAnother(t *testing.T) {
	r := newRig(t, nil)
	r.call(r.as(boss), mcp.SendAgentPrompt, args{"agentId": boss, "prompt": "go on"})
	r.fake.of(boss).end(agentcore.TurnCompleted)
	r.settle(1)
	require.Equal(t, []string{"go on"}, r.texts(boss))
}

func TestAnErrorIsToldInOneLine(t *testing.T) {
	r := newRig(t, nil)
	done := r.background(t.Context(), r.as(""), mcp.SendAgentPrompt, args{"agentId": worker, "prompt": "dig"})
	r.settle(1)
	r.fake.of(worker).end(agentcore.TurnFailed)
	require.Equal(t, "out of quota", decode(t, <-done)["error"])
	require.Equal(t, "out of quota", decode(t, r.call(r.as(boss), mcp.GetAgentStatus, args{"agentId": worker}))["lastError"])
}

func TestListAgents(t *testing.T) {
	r := newRig(t, nil)
	require.NoError(t, r.Manager.Close(t.Context(), boss))
	require.JSONEq(t, `{"agents":[
		{"agentId":"`+boss+`","title":"boss","status":"closed","queued":0,"permissions":[]},
		{"agentId":"`+worker+`","title":"worker","status":"idle","queued":0,"permissions":[]}]}`, r.call(r.as(worker), mcp.ListAgents, nil))
}

func TestCreateAgent(t *testing.T) {
	r := newRig(t, nil)
	got := decode(t, r.call(r.as(boss), mcp.CreateAgent, with(args{"title": "child", "initialPrompt": "dig"}, never)))
	require.Equal(t, "running", got["status"])
	id := got["agentId"].(string)
	require.Equal(t, []string{"dig"}, r.texts(id))
	child, _ := r.Get(id)
	parent, _ := r.Get(boss)
	require.Equal(t, parent.Config.Cwd, child.Config.Cwd)
	require.Equal(t, boss, child.Labels[mcp.ParentLabel])

	text, failed := r.try(r.as(""), mcp.CreateAgent, args{"title": "orphan", "provider": "fake"})
	require.True(t, failed)
	require.Contains(t, text, "Working directory", "there is no caller to take it from")
}

func TestAWaitRunsOut(t *testing.T) {
	r := newRig(t, nil)
	c := r.as(boss)
	r.call(c, mcp.SendAgentPrompt, with(args{"agentId": worker, "prompt": "dig"}, never))
	done := r.background(t.Context(), c, mcp.WaitForAgent, args{"agentId": worker})
	r.settle(2)
	r.clock.expire(mcp.TimerWait)
	require.JSONEq(t, `{"agentId":"`+worker+`","status":"running","permission":null,"lastMessage":null,"timedOut":true,"activity":["user: dig"]}`, <-done)
}

func TestAClientThatLeavesIsNotWaitedFor(t *testing.T) {
	r := newRig(t, nil)
	c := r.as(boss)
	r.call(c, mcp.SendAgentPrompt, with(args{"agentId": worker, "prompt": "dig"}, never))
	ctx, leave := context.WithCancel(t.Context())
	done := r.background(ctx, c, mcp.WaitForAgent, args{"agentId": worker})
	r.settle(2)
	leave()
	require.Contains(t, <-done, "context canceled")
	r.ended(2)
}

func TestCloseEndsWhatWaits(t *testing.T) {
	r := newRig(t, nil)
	c := r.as(boss)
	r.call(c, mcp.SendAgentPrompt, args{"agentId": worker, "prompt": "dig"})
	done := r.background(t.Context(), c, mcp.WaitForAgent, args{"agentId": worker})
	r.settle(2)
	r.server.Close()
	require.Contains(t, <-done, "shutting down")
	text, failed := r.try(c, mcp.ListAgents, nil)
	require.True(t, failed)
	require.Contains(t, text, "shutting down")
	r.fake.of(worker).end(agentcore.TurnCompleted)
	r.settle(2)
	require.Empty(t, r.texts(boss), "nobody is notified any more")
}
