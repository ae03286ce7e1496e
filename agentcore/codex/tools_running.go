package codex

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// maxOutput bounds the output that a running tool call collects, in bytes.
const maxOutput = 1 << 20

func (m *machine) outputDelta(n note) {
	m.toolGrows(n, func(d *timeline.Detail) {
		if len(d.Output) < maxOutput {
			d.Output += n.Delta
		}
	})
}

func (m *machine) patchUpdated(n note) {
	var p struct{ Changes json.RawMessage }
	if json.Unmarshal(n.raw, &p) != nil {
		return
	}
	m.toolGrows(n, func(d *timeline.Detail) { *d = *changeDetail(p.Changes, false) })
}

// toolGrows tells of a running tool call with more in its detail.
func (m *machine) toolGrows(n note, grow func(*timeline.Detail)) {
	t, ok := m.items.tools[n.ItemID]
	if !ok {
		return
	}
	d := *t.item.Detail // who was told of it keeps what he has
	grow(&d)
	t.item.Detail = &d
	m.items.tools[n.ItemID] = t
	m.emit(agentcore.ItemUpdated{Turn: n.turn(), Item: t.item})
}

// loseTools ends the calls that outlived their turns, and their process not.
func (m *machine) loseTools() {
	for _, id := range slices.Sorted(maps.Keys(m.items.tools)) {
		if t := m.items.tools[id]; m.turns.get(t.turn) == nil {
			t.item.Status, t.item.Final = timeline.Canceled, true
			m.emit(agentcore.ItemUpdated{Turn: t.turn, Item: t.item})
		}
	}
}

// terminalInput is what the model typed into a running process.
func (m *machine) terminalInput(n note) {
	var p struct{ ProcessID, Stdin string }
	_ = json.Unmarshal(n.raw, &p)
	m.emit(agentcore.ItemUpdated{Turn: n.turn(), Item: timeline.Item{
		Kind: timeline.Tool, ID: "terminal-session-" + p.ProcessID, Name: "terminal",
		Status: timeline.Completed, Final: true, Detail: &timeline.Detail{Kind: "text", Text: p.Stdin},
	}})
}
