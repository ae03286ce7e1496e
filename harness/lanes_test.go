package harness

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/golden"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/reading"
)

func tale(bodies ...eventlog.Body) []eventlog.Event {
	var events []eventlog.Event
	for _, b := range bodies {
		events = append(events, eventlog.Event{Agent: "main", Body: b})
	}
	return events
}

func tool(item, name, status string) eventlog.Row {
	return eventlog.Row{Kind: "tool", Item: item, Name: name, Status: status}
}

// Two commands that run at the same time end in either order; the golden has
// them in the order of their calls.
func TestToolsStandInTheOrderOfTheirCalls(t *testing.T) {
	begin := []eventlog.Body{tool("a", "one", "running"), tool("b", "two", "running")}
	run := reading.New()
	run.Agent("main").Called = map[string]int{"b": 1, "a": 2}
	for _, ends := range [][]eventlog.Body{
		{tool("a", "one", "completed"), tool("b", "two", "failed")},
		{tool("b", "two", "failed"), tool("a", "one", "completed")},
	} {
		got := projection(tale(append(begin, ends...)...), run, "1.0.0", nil, newNormalizer())
		require.Equal(t, []golden.Lane{{Name: "timeline main", Lines: []string{"tool: two failed", "tool: one completed"}}}, got.Sections[0].Lanes)
	}
}

func TestStepsOfATogetherHaveIndicesOfTheirOwn(t *testing.T) {
	steps := []plan.Step{{Index: 1}, {Index: 2, Action: &plan.Together{Steps: []plan.Step{{Index: 1}, {Index: 2}}}}}
	seen := map[int]bool{}
	for _, s := range flatten(steps) {
		require.False(t, seen[s.Index], s.Index)
		seen[s.Index] = true
	}
	require.Len(t, seen, 3)
}
