package agentcore

import (
	"strings"
	"time"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// coalescer holds pieces of texts, and snapshots of tool calls, for a short
// while, so that many become one row.
type coalescer struct {
	entries   []piece
	lastFlush time.Time
}

// piece is a run of text of one item, or the latest state of a tool call.
type piece struct {
	turn  string
	item  Item
	texts []string
}

// add takes a text or a tool call in. What is empty is swallowed.
func (c *coalescer) add(turn string, item Item) {
	if item.Kind == timeline.Tool {
		c.addTool(turn, item)
		return
	}
	switch last := c.last(turn, item); {
	case last != nil:
		last.texts = append(last.texts, item.Text)
		last.item.Final = item.Final
	case item.Text != "":
		c.entries = append(c.entries, piece{turn, item, []string{item.Text}})
	}
}

// last is the newest piece, if the item goes on with it.
func (c *coalescer) last(turn string, item Item) *piece {
	if len(c.entries) == 0 {
		return nil
	}
	p := &c.entries[len(c.entries)-1]
	if p.turn != turn || p.item.Kind != item.Kind || p.item.ID != item.ID {
		return nil
	}
	return p
}

// addTool puts a later state in the place of an earlier one.
func (c *coalescer) addTool(turn string, item Item) {
	for i := range c.entries {
		e := &c.entries[i]
		if e.item.Kind == timeline.Tool && e.item.ID == item.ID && e.turn == turn {
			e.item = item
			return
		}
	}
	c.entries = append(c.entries, piece{turn: turn, item: item})
}

// take empties the buffer.
func (c *coalescer) take(now time.Time) []piece {
	entries := c.entries
	c.entries, c.lastFlush = nil, now
	for i := range entries {
		if e := &entries[i]; e.texts != nil {
			e.item.Text = strings.Join(e.texts, "")
		}
	}
	return entries
}

// flush records what the coalescer holds.
func (m *Machine) flush() {
	if len(m.buffer.entries) == 0 {
		return
	}
	m.stopTimer("coalesce")
	for _, p := range m.buffer.take(m.now) {
		m.recordPiece(p)
	}
}

func (m *Machine) recordPiece(p piece) {
	row := m.record(p.turn, p.item)
	if p.item.Kind != timeline.Tool {
		m.open.text = openText{row: row, open: !p.item.Final}
	}
}

// coalesce buffers a text or a tool call.
func (m *Machine) coalesce(turn string, item Item) {
	unbounded := m.limits.Coalesce < 0
	if item.Kind == timeline.Tool {
		began := m.open.tool(turn, item)
		ends := item.Status != timeline.Running
		if unbounded && !began && !ends {
			return // how often a tool speaks up depends on time
		}
		m.buffer.add(turn, item)
		if unbounded || ends {
			m.flush()
		} else {
			m.armCoalesce()
		}
		return
	}
	if unbounded && m.buffer.last(turn, item) == nil {
		m.flush()
	}
	m.open.continues(turn, item)
	m.buffer.add(turn, item)
	switch {
	case item.Final:
		m.flush()
	case !unbounded:
		m.armCoalesce()
	}
}

func (m *Machine) armCoalesce() {
	if _, armed := m.timers["coalesce"]; armed || len(m.buffer.entries) == 0 {
		return
	}
	wait := m.limits.Coalesce
	if m.limits.Leading {
		wait -= m.now.Sub(m.buffer.lastFlush)
		if wait <= 0 {
			m.flush()
			return
		}
	}
	m.startTimer("coalesce", wait)
}
