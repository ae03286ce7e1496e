package agentcore

import (
	"slices"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// compaction: one row when it starts, one when it ends.
func (m *Machine) compaction(turn string, item Item) {
	if item.Trigger == "" && m.run != nil && m.run.compact {
		item.Trigger = "manual"
	}
	at := m.open.compaction(item.ID)
	switch {
	case m.open.closed(item.ID):
	case item.Status == timeline.Running && at < 0:
		m.open.compactions = append(m.open.compactions, openItem{turn, item})
		m.record(turn, item)
	case item.Status == timeline.Running:
	default:
		if at >= 0 {
			m.open.compactions = slices.Delete(m.open.compactions, at, at+1)
		}
		m.open.close(item.ID)
		m.record(turn, item)
	}
}

// openItems are the items of open turns that have not ended.
type openItems struct {
	compactions []openItem
	tools       []openItem
	text        openText
	ended       []string // ids of compactions that have ended
	users       []string // ids of user items that the provider showed by itself
}

type openItem struct {
	turn string
	item Item
}

// openText is the last row of a text that may go on.
type openText struct {
	row  timeline.Row
	open bool
}

// compaction finds the open compaction with this id; one without an id is any.
func (o *openItems) compaction(id string) int {
	return slices.IndexFunc(o.compactions, func(c openItem) bool { return id == "" || c.item.ID == "" || c.item.ID == id })
}

func (o *openItems) closed(id string) bool { return id != "" && slices.Contains(o.ended, id) }

func (o *openItems) close(id string) {
	if id == "" {
		return
	}
	if len(o.ended) == doneTurnsKept {
		o.ended = o.ended[1:]
	}
	o.ended = append(o.ended, id)
}

func (o *openItems) toolAt(turn, id string) int {
	return slices.IndexFunc(o.tools, func(t openItem) bool { return t.item.ID == id && t.turn == turn })
}

// tool keeps the state of a tool call until it ends, and says whether this is
// its beginning.
func (o *openItems) tool(turn string, item Item) (began bool) {
	i := o.toolAt(turn, item.ID)
	switch {
	case item.Status != timeline.Running && i >= 0:
		o.tools = slices.Delete(o.tools, i, i+1)
	case item.Status == timeline.Running && i >= 0:
		o.tools[i].item = item
	case item.Status == timeline.Running:
		o.tools = append(o.tools, openItem{turn, item})
		return true
	}
	return false
}

// continues notes that the open text goes on or has ended without a row more.
func (o *openItems) continues(turn string, item Item) {
	t := &o.text
	if item.Final && item.Text == "" && t.row.Turn == turn && t.row.Item.ID == item.ID {
		t.open = false
	}
}

// flushEnded records what is buffered before a turn ends. A text that was cut
// off says so.
func (m *Machine) flushEnded(e TurnEnded) {
	if e.Status != TurnCompleted {
		for i := range m.buffer.entries {
			p := &m.buffer.entries[i]
			if p.turn == e.Turn && p.item.Kind == timeline.Assistant && !p.item.Final {
				p.item.Status = timeline.Aborted
			}
		}
	}
	m.flush()
}

// closeItems leaves nothing open behind a turn that ends, but for tool calls of
// one that completed: they run on in the background, and tell their end.
func (m *Machine) closeItems(e TurnEnded) {
	m.cutText(e)
	compactions := m.open.compactions
	m.open.compactions = nil
	for _, c := range compactions {
		if c.turn != e.Turn {
			m.open.compactions = append(m.open.compactions, c)
			continue
		}
		c.item.Status = timeline.Aborted
		m.open.close(c.item.ID)
		m.record(c.turn, c.item)
	}
	if e.Status != TurnCompleted {
		m.cancelTools(func(turn string) bool { return turn == e.Turn })
	}
}

// cancelTools ends the open tool calls of the turns that are meant.
func (m *Machine) cancelTools(meant func(turn string) bool) {
	tools := m.open.tools
	m.open.tools = nil
	for _, t := range tools {
		if !meant(t.turn) {
			m.open.tools = append(m.open.tools, t)
			continue
		}
		t.item.Status = timeline.Canceled
		m.record(t.turn, t.item)
	}
}

// cancelBackground ends the calls that outlived their turns: their session is
// gone, and they with it.
func (m *Machine) cancelBackground() {
	m.flush()
	m.cancelTools(func(turn string) bool { return m.run == nil || turn != m.run.turn })
}

// cutText marks a text that was recorded in part and will not go on.
func (m *Machine) cutText(e TurnEnded) {
	t := m.open.text
	if !t.open || t.row.Turn != e.Turn {
		return
	}
	m.open.text.open = false
	if e.Status != TurnCompleted && t.row.Item.Kind == timeline.Assistant && t.row.Item.Status != timeline.Aborted {
		t.row.Item.Status = timeline.Aborted
		m.change(t.row)
	}
}
