package agentcore

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// TestFit: what is too large for a row is cut, then summarized, then left out;
// the provider's own value is not changed.
func TestFit(t *testing.T) {
	l := Limits{}.withDefaults()
	big := func(n int) string { return strings.Repeat("x", n) }
	tool := func(d timeline.Detail) Item {
		return Item{Kind: timeline.Tool, ID: "c1", Name: "shell", Status: timeline.Failed, Detail: &d}
	}
	fitted := func(item Item) Item {
		l.fit(&item)
		data, err := json.Marshal(item)
		require.NoError(t, err)
		if len(item.Text) < 1<<20 {
			require.LessOrEqual(t, len(data), l.Item)
		}
		return item
	}

	small := tool(timeline.Detail{Kind: "shell", Command: "ls", Input: map[string]any{"a": 1}})
	require.Equal(t, small, fitted(small), "what is small stays as it is")

	detail := timeline.Detail{Kind: "shell", Output: big(65<<10 + 1)}
	out := fitted(tool(detail)).Detail.Output
	require.Equal(t, big(64<<10)+"\n...[1025 bytes more]", out)
	require.Len(t, detail.Output, 65<<10+1)

	summary := fitted(tool(timeline.Detail{Kind: "unknown", Command: "ls", Input: map[string]any{"a": big(129 << 10)}, Content: big(5 << 10)}))
	require.Equal(t, "ls", summary.Detail.Command)
	require.Nil(t, summary.Detail.Input)
	require.Equal(t, big(4<<10)+"\n...[1024 bytes more]", summary.Detail.Content)

	unwritable := fitted(tool(timeline.Detail{Kind: "unknown", Command: "ls", Result: func() {}}))
	require.Equal(t, "ls", unwritable.Detail.Command)
	require.Nil(t, unwritable.Detail.Result)

	failure := fitted(Item{Kind: timeline.Error, ID: "m", Text: strings.Repeat("\x00", 30<<10)})
	require.Contains(t, failure.Text, "bytes more]", "it is the size as JSON that counts")
	todos := Item{Kind: timeline.Todo, ID: "p", Todos: make([]timeline.TodoItem, 200)}
	for i := range todos.Todos {
		todos.Todos[i].Text = big(1 << 10)
	}
	require.Len(t, fitted(todos).Todos, 100)
	todos.Todos[0].Text = big(200 << 10)
	require.Equal(t, Item{Kind: timeline.Todo, ID: "p", Text: "[left out: too large]"}, fitted(todos))
	hostile := tool(timeline.Detail{Kind: "shell"})
	hostile.ID = big(200 << 10)
	require.Equal(t, "[left out: too large]", fitted(hostile).Detail.Text)

	for _, kind := range []timeline.Kind{timeline.User, timeline.Assistant, timeline.Thought} {
		said := Item{Kind: kind, Text: big(1 << 20)}
		require.Equal(t, said, fitted(said), "what was said stays whole")
	}
}
