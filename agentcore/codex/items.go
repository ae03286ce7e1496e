package codex

import (
	"encoding/json"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// items is what the machine remembers of items that are not over.
type items struct {
	streamed map[string]string      // text told so far, by item
	tools    map[string]runningTool // by item
	seen     map[string]bool        // user items told, by item
	compacts []compactRow
}

// runningTool is a tool call that has not ended.
type runningTool struct {
	turn string
	item timeline.Item
}

// compactRow is a compaction that was told as started.
type compactRow struct {
	id, turn string
	done     bool
}

func (it *items) init() {
	if it.streamed == nil {
		it.streamed = map[string]string{}
		it.tools = map[string]runningTool{}
		it.seen = map[string]bool{}
	}
}

// endTurn forgets the compactions of a turn that is over: codex never
// completes those it gave up, and a late completion is not to be told.
func (it *items) endTurn(turn string) {
	for i := range it.compacts {
		if it.compacts[i].turn == turn {
			it.compacts[i].done = true
		}
	}
}

// wireItem is codex's item; which fields are set depends on Type.
type wireItem struct {
	Type     string
	ID       string
	ClientID string
	Content  json.RawMessage // userMessage: []userInput; reasoning: []string
	Text     string
	Summary  []string
	toolItem
}

type userInput struct{ Type, Text string }

func (w wireItem) userText() string {
	var parts []userInput
	_ = json.Unmarshal(w.Content, &parts)
	var texts []string
	for _, p := range parts {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (w wireItem) thought() string {
	if len(w.Summary) > 0 {
		return strings.Join(w.Summary, "\n\n")
	}
	var content []string
	_ = json.Unmarshal(w.Content, &content)
	return strings.Join(content, "\n\n")
}

func (m *machine) itemStarted(n note)   { m.takeItem(n, false) }
func (m *machine) itemCompleted(n note) { m.takeItem(n, true) }

func (m *machine) takeItem(n note, done bool) {
	m.items.init()
	var w wireItem
	if err := json.Unmarshal(n.Item, &w); err != nil {
		m.do(unknownEffect{"item", "it cannot be read: " + err.Error()})
		return
	}
	// A process may outlive its turn, and its row must end. Nothing else of a
	// turn that is over is told.
	if _, running := m.items.tools[w.ID]; m.turns.over(n.turn()) && !running {
		return
	}
	switch w.Type {
	case "userMessage":
		m.takeUserItem(n.turn(), w)
	case "plan":
		switch t := m.planning(n.turn()); {
		case !done:
		case t != nil:
			t.plan = w.Text
		default:
			m.finishText(n.turn(), timeline.Assistant, w.ID, w.Text)
		}
	case "agentMessage":
		if done {
			m.finishText(n.turn(), timeline.Assistant, w.ID, w.Text)
		}
	case "reasoning":
		if done {
			m.finishText(n.turn(), timeline.Thought, w.ID, w.thought())
		}
	case "contextCompaction":
		m.takeCompaction(n.turn(), w.ID, done)
	default:
		m.takeTool(n.turn(), w, done)
	}
}

// takeUserItem tells who sent a text that codex has put into its history.
// Started is enough: from then on it is kept.
func (m *machine) takeUserItem(turn string, w wireItem) {
	if m.items.seen[w.ID] {
		return
	}
	m.items.seen[w.ID] = true
	m.fresh = false
	if a := m.sentAs(turn, w); a != nil {
		a.taken = true
		m.emit(agentcore.Taken{Turn: turn, ClientID: a.clientID, ItemID: w.ID})
		return
	}
	m.emit(agentcore.ItemUpdated{Turn: turn, Item: timeline.Item{
		Kind: timeline.User, ID: w.ID, ClientID: w.ClientID, Text: w.userText(), Final: true,
	}})
}

// sentAs finds the text that an item is the echo of: by the sender's id where
// the item has one, else the oldest one that reads the same.
func (m *machine) sentAs(turn string, w wireItem) *accepted {
	text := w.userText()
	for _, a := range m.turns.texts {
		switch {
		case a.taken, a.turn != "" && a.turn != turn:
		case w.ClientID != "" && a.clientID == w.ClientID,
			w.ClientID == "" && strings.TrimSpace(a.text) == strings.TrimSpace(text):
			return a
		}
	}
	return nil
}

// planDelta: in a turn that plans, the plan is shown when it is whole.
func (m *machine) planDelta(n note) {
	if m.planning(n.turn()) == nil {
		m.messageDelta(n)
	}
}

func (m *machine) messageDelta(n note) { m.delta(n, timeline.Assistant, n.Delta) }
func (m *machine) thoughtDelta(n note) { m.delta(n, timeline.Thought, n.Delta) }

// thoughtPart separates the parts of a summary as the whole one does.
func (m *machine) thoughtPart(n note) {
	if m.items.streamed[n.ItemID] != "" {
		m.delta(n, timeline.Thought, "\n\n")
	}
}

func (m *machine) delta(n note, kind timeline.Kind, text string) {
	m.items.init()
	if text == "" || m.turns.over(n.turn()) {
		return
	}
	m.items.streamed[n.ItemID] += text
	m.emit(agentcore.ItemUpdated{Turn: n.turn(), Item: timeline.Item{Kind: kind, ID: n.ItemID, Text: text}})
}

// finishText tells what the deltas left out. A whole text that does not begin
// with what was streamed cannot be mended in a timeline that only grows.
func (m *machine) finishText(turn string, kind timeline.Kind, id, whole string) {
	rest, ok := strings.CutPrefix(whole, m.items.streamed[id])
	if !ok {
		m.do(unknownEffect{"item/completed", "the text of " + id + " is not what was streamed"})
		rest = ""
	}
	told := m.items.streamed[id] != "" || rest != ""
	delete(m.items.streamed, id)
	if told {
		m.emit(agentcore.ItemUpdated{Turn: turn, Item: timeline.Item{Kind: kind, ID: id, Text: rest, Final: true}})
	}
}

func (m *machine) takeCompaction(turn, id string, done bool) {
	row := m.compactRow(turn, id)
	switch {
	case row == nil && !done:
		m.items.compacts = append(m.items.compacts, compactRow{id: id, turn: turn})
		m.tellCompaction(turn, id, timeline.Running)
	case row != nil && done && !row.done:
		row.done = true
		m.tellCompaction(turn, id, timeline.Completed)
	case row == nil && !m.turns.over(turn): // completed, and never started
		m.items.compacts = append(m.items.compacts, compactRow{id: id, turn: turn, done: true})
		m.tellCompaction(turn, id, timeline.Completed)
	}
}

func (m *machine) compactRow(turn, id string) *compactRow {
	for i := range m.items.compacts {
		if r := &m.items.compacts[i]; r.id == id && r.turn == turn {
			return r
		}
	}
	return nil
}

// threadCompacted is how old versions say that a compaction is done; where
// there is an item too, one of the two is enough.
func (m *machine) threadCompacted(n note) {
	turn := n.turn()
	for i := range m.items.compacts {
		r := &m.items.compacts[i]
		if r.turn != turn {
			continue
		}
		if !r.done {
			r.done = true
			m.tellCompaction(turn, r.id, timeline.Completed)
		}
		return
	}
	m.takeCompaction(turn, "compacted-"+turn, true)
}

func (m *machine) tellCompaction(turn, id string, status timeline.Status) {
	trigger := "auto"
	if t := m.turns.get(turn); t != nil && t.manual {
		trigger = "manual"
	}
	m.emit(agentcore.ItemUpdated{Turn: turn, Item: timeline.Item{
		Kind: timeline.Compaction, ID: id, Status: status, Trigger: trigger,
	}})
}
