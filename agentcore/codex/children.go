package codex

import (
	"encoding/json"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// children are the threads of sub-agents. What such a thread says is shown in
// the row of the call that started it.
type children struct {
	cards   map[string]*card  // by child thread
	early   map[string][]note // of threads that no call has named yet
	foreign map[string]bool   // threads that are not shown: forks of ours
}

type card struct {
	turn string
	item timeline.Item
	log  []string
}

const (
	maxEarlyThreads = 32
	maxChildNotes   = 128 // of one thread, early or shown
)

// ours marks a thread that we made ourselves; it is nobody's child.
func (c *children) ours(thread string) {
	if c.foreign == nil {
		c.foreign = map[string]bool{}
	}
	c.foreign[thread] = true
	delete(c.early, thread)
}

// announceChildren connects a call with the threads that it names, and puts
// what they have said so far into its row.
func (m *machine) announceChildren(turn string, w wireItem, item *timeline.Item) {
	if w.Type != "collabAgentToolCall" {
		return
	}
	for _, thread := range w.Receivers {
		c := m.children.cards[thread]
		if c == nil {
			c = &card{turn: turn}
			if m.children.cards == nil {
				m.children.cards = map[string]*card{}
			}
			m.children.cards[thread] = c
		}
		for _, n := range m.children.early[thread] {
			c.add(n)
		}
		delete(m.children.early, thread)
		item.Detail.Output = strings.Join(c.log, "\n")
		c.item = *item
	}
}

// add notes what a child says, and reports whether there is something to show.
func (c *card) add(n note) bool {
	var w wireItem
	if json.Unmarshal(n.Item, &w) != nil {
		return false
	}
	line := childLine(w)
	if line != "" && len(c.log) < maxChildNotes {
		c.log = append(c.log, line)
	}
	return line != ""
}

// childNote takes a notification of another thread than ours. A child's
// failure is its own: it ends no turn of ours.
func (m *machine) childNote(method string, n note) {
	if method == "turn/completed" {
		m.childEnded(n)
	}
	if method != "item/completed" || m.children.foreign[n.ThreadID] {
		return
	}
	if m.children.cards[n.ThreadID] != nil {
		m.showChild(n.ThreadID, n)
		return
	}
	if m.children.early == nil {
		m.children.early = map[string][]note{}
	}
	_, known := m.children.early[n.ThreadID]
	if (known || len(m.children.early) < maxEarlyThreads) && len(m.children.early[n.ThreadID]) < maxChildNotes {
		m.children.early[n.ThreadID] = append(m.children.early[n.ThreadID], n)
	}
}

func (m *machine) showChild(thread string, n note) {
	c := m.children.cards[thread]
	if !c.add(n) {
		return
	}
	d := *c.item.Detail
	d.Output = strings.Join(c.log, "\n")
	c.item.Detail = &d
	m.emit(agentcore.ItemUpdated{Turn: c.turn, Item: c.item})
}

// childEnded closes the row of a child whose turn is over.
func (m *machine) childEnded(n note) {
	c := m.children.cards[n.ThreadID]
	if c == nil {
		return
	}
	ends := map[string]timeline.Status{"failed": timeline.Failed, "interrupted": timeline.Canceled}
	c.item.Status, c.item.Final = timeline.Completed, true
	if s, ok := ends[n.Turn.Status]; ok {
		c.item.Status = s
	}
	m.emit(agentcore.ItemUpdated{Turn: c.turn, Item: c.item})
}

func childLine(w wireItem) string {
	if w.Type == "agentMessage" {
		return w.Text
	}
	if item, ok := mapTool(w, true); ok {
		return "[" + item.Name + " " + string(item.Status) + "]"
	}
	return ""
}
