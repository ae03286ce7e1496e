package agentcore

import (
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// said is a piece of text, as "kind/turn/item/text", or a tool call as
// "tool/turn/call/status".
func said(line string) (turn string, item Item) {
	f := strings.SplitN(line, "/", 4)
	item = Item{Kind: timeline.Kind(f[0]), ID: f[2]}
	if item.Kind == timeline.Tool {
		item.Status = timeline.Status(f[3])
	} else {
		item.Text = f[3]
	}
	return f[1], item
}

// TestCoalescer: what comes together becomes few rows, and nothing changes its
// place.
func TestCoalescer(t *testing.T) {
	for _, c := range []struct{ name, in, out string }{
		{"13.P1: pieces of one text are one", "assistant/t/m/a assistant/t/m/b", "assistant/t/m/ab"},
		{"13.P5: a thought is no answer", "assistant/t/m/a thought/t/m/b", "assistant/t/m/a thought/t/m/b"},
		{"13.P6: what alternates stays apart", "assistant/t/m/a thought/t/r/b assistant/t/m/c thought/t/r/d",
			"assistant/t/m/a thought/t/r/b assistant/t/m/c thought/t/r/d"},
		{"13.P8: nor do turns mix", "assistant/t/m/a assistant/u/m/b", "assistant/t/m/a assistant/u/m/b"},
		{"13.P9: nothing said is nothing", "assistant/t/m/ assistant/t/m/a assistant/t/m/", "assistant/t/m/a"},
		{"13.P20: of a tool's states the last counts, at the place of the first", "tool/t/x/running assistant/t/m/a tool/t/x/failed",
			"tool/t/x/failed assistant/t/m/a"},
		{"13.P21: tools do not mix", "tool/t/x/running tool/t/y/running tool/t/x/completed", "tool/t/x/completed tool/t/y/running"},
		{"of another turn it is another call", "tool/t/x/running tool/u/x/completed", "tool/t/x/running tool/u/x/completed"},
		{"13.P23: a tool parts a text", "assistant/t/m/a tool/t/x/running assistant/t/m/b", "assistant/t/m/a tool/t/x/running assistant/t/m/b"},
		{"13.P25: nor do messages mix", "assistant/t/m/a assistant/t/n/b", "assistant/t/m/a assistant/t/n/b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b coalescer
			for _, line := range strings.Fields(c.in) {
				b.add(said(line))
			}
			var out []string
			for _, p := range b.take(time.Time{}) {
				out = append(out, strings.Join([]string{string(p.item.Kind), p.turn, p.item.ID, p.item.Text + string(p.item.Status)}, "/"))
			}
			require.Equal(t, c.out, strings.Join(out, " "))
			require.Empty(t, b.take(time.Time{}), "13.P14: what was taken is gone")
		})
	}
}

// TestTheFirstPieceGivesTheShape: 13.P19, but for whether more is to come.
func TestTheFirstPieceGivesTheShape(t *testing.T) {
	var b coalescer
	b.add("t", Item{Kind: timeline.Assistant, ID: "m", Text: "a", Name: "first"})
	b.add("t", Item{Kind: timeline.Assistant, ID: "m", Text: "b", Name: "second", Final: true})
	require.Equal(t, Item{Kind: timeline.Assistant, ID: "m", Text: "ab", Name: "first", Final: true}, b.take(time.Time{})[0].item)
}

// TestTextsAreKeptToTheByte: 13.P10, 13.P11. However a text is cut up, in the
// middle of characters too, it is put together again as it was.
func TestTextsAreKeptToTheByte(t *testing.T) {
	whole := func(text string, cuts []uint8) bool {
		text = " \n" + text + "\t äöü 漢字 "
		var b coalescer
		rest := text
		for _, n := range cuts {
			at := min(int(n)%7, len(rest))
			b.add("t", Item{Kind: timeline.Assistant, ID: "m", Text: rest[:at]})
			rest = rest[at:]
		}
		b.add("t", Item{Kind: timeline.Assistant, ID: "m", Text: rest})
		out := b.take(time.Time{})
		return rest == "" && out == nil || len(out) == 1 && out[0].item.Text == text
	}
	require.NoError(t, quick.Check(whole, nil))
}

// TestTheWindowIsAnOption: 13.P2.
func TestTheWindowIsAnOption(t *testing.T) {
	for window, want := range map[time.Duration]time.Duration{0: 60 * time.Millisecond, time.Second: time.Second} {
		m := NewMachine(Birth{Fresh: "e", Limits: Limits{Coalesce: window}, Record: Record{ID: "a"}})
		m.sess.phase = sessionReady
		effects := m.Step(time.Time{}, Happened{0, ItemUpdated{Turn: "t", Item: Item{Kind: timeline.Assistant, ID: "m", Text: "a"}}})
		require.Contains(t, effects, StartTimer{"coalesce", 1, want})
	}
}

// TestOver: 13.E1. What is set goes before what is recorded; what is launched
// with is there as well.
func TestOver(t *testing.T) {
	base := SessionConfig{
		Provider: "p", Cwd: "/a", Model: "m", Mode: "auto", Thinking: "low", SystemPrompt: "s", Title: "t",
		Features: map[string]any{"f": 1}, MCPServers: map[string]any{"x": 1}, Options: map[string]any{"o": 1},
	}
	require.Equal(t, base, SessionConfig{}.over(base), "nothing set, nothing changed")
	top := SessionConfig{
		Cwd: "/b", Model: "n", Mode: "full", Thinking: "high", SystemPrompt: "u", AppendSystemPrompt: "v", Title: "w",
		Features: map[string]any{"g": 2}, MCPServers: map[string]any{"y": 2}, Options: map[string]any{"q": 2}, Env: map[string]string{"K": "v"},
	}
	want := top
	want.Provider = "p"
	require.Equal(t, want, top.over(base))
}
