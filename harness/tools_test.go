package harness

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/mcp"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/reading"
	"github.com/heldstream/heldstream/mockprovider"
)

func TestCodexKnowsTheToolsByTheNameThatSettlingLooksFor(t *testing.T) {
	require.Equal(t, mcp.Name, reading.ToolServer)
}

func TestWhoGetsTools(t *testing.T) {
	call := func(c mockprovider.Call) *plan.Plan {
		return &plan.Plan{Script: &mockprovider.Script{Replies: []mockprovider.Reply{{}, {Call: []mockprovider.Call{c}}}}}
	}
	for _, c := range []struct {
		name string
		plan *plan.Plan
		want bool
	}{
		{"a file that calls none", call(mockprovider.Call{Tool: "exec_command"}), false},
		{"one that calls one", call(mockprovider.Call{Tool: "list_agents", Namespace: "mcp__agents"}), true},
		{"one that calls one as older versions name them", call(mockprovider.Call{Tool: "mcp__agents__list_agents"}), true},
		{"one that calls one at a second attempt", &plan.Plan{Script: &mockprovider.Script{Replies: []mockprovider.Reply{{
			Attempts: []mockprovider.Reply{{}, {Call: []mockprovider.Call{{Tool: "list_agents", Namespace: "mcp__agents"}}}}}}}}, true},
		{"another server's", call(mockprovider.Call{Tool: "list", Namespace: "mcp__other"}), false},
		{"one that says what they do", &plan.Plan{Script: &mockprovider.Script{}, Manager: plan.Manager{ToolDefault: "queue"}}, true},
	} {
		require.Equal(t, c.want, wantsTools(c.plan), c.name)
	}
}

func TestTheScenariosConfigCountsMoreThanOurs(t *testing.T) {
	given := map[string]any{"mcp_servers": map[string]any{"other": 1, "agents": map[string]any{"tool_timeout_sec": 2}}}
	a := &agent{id: agentID(1), home: codex.Home{Config: map[string]any{"mcp_servers": given["mcp_servers"]}, Env: map[string]string{"X": "y"}}}
	env := a.home.Env
	(&tools{url: "http://127.0.0.1:1/mcp"}).hand(a)
	servers := a.home.Config["mcp_servers"].(map[string]any)
	ours := servers["agents"].(map[string]any)
	require.Equal(t, 1, servers["other"])
	require.Equal(t, 2, ours["tool_timeout_sec"])
	require.Equal(t, "http://127.0.0.1:1/mcp", ours["url"])
	require.NotEmpty(t, a.home.Env[ours["bearer_token_env_var"].(string)])
	require.Equal(t, map[string]string{"X": "y"}, env, "what the agents share is left alone")
	require.Equal(t, map[string]any{"tool_timeout_sec": 2}, given["mcp_servers"].(map[string]any)["agents"])
}

func TestCallsStandWhereTheyAreAnsweredAndWhereTheyWait(t *testing.T) {
	called := func(id string) eventlog.Event {
		return eventlog.Event{Agent: "boss", Body: eventlog.AgentCalled{ID: id, Tool: "wait_for_agent", Args: json.RawMessage(`{"n":"` + id + `"}`)}}
	}
	step := func(n int) eventlog.Event { return eventlog.Event{Body: eventlog.StepBegan{Index: n}} }
	f := projection([]eventlog.Event{
		step(1), called("a"), called("b"), {Agent: "boss", Body: eventlog.AgentAnswered{ID: "b", Result: json.RawMessage(`{}`)}},
		step(2), {Agent: "boss", Body: eventlog.AgentAnswered{ID: "a", Error: "no"}},
	}, reading.New(), "1", map[int]string{1: "one", 2: "two"}, newNormalizer())
	require.Len(t, f.Sections, 2)
	require.Equal(t, []string{`wait_for_agent {"n":"a"} waits`, `wait_for_agent {"n":"b"} -> {}`}, f.Sections[0].Lanes[0].Lines)
	require.Equal(t, []string{`wait_for_agent {"n":"a"} -> error: no`}, f.Sections[1].Lanes[0].Lines)
}
