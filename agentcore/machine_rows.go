package agentcore

import (
	"time"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// rows is what the machine remembers of the timeline; the rows themselves it
// need not know.
type rows struct {
	epoch  string
	next   int64
	last   Item
	lastAt time.Time
	said   []Item // the last group of adjacent assistant texts
	born   bool   // the log knows the epoch
}

// flushBirth writes the epoch of a timeline that is new.
func (m *Machine) flushBirth() {
	if !m.rows.born {
		m.rows.born = true
		m.append(timeline.Entry{Epoch: m.rows.epoch}, Reply{})
	}
}

func (m *Machine) append(e timeline.Entry, r Reply) {
	m.do(Append{m.token(r), []timeline.Entry{e}})
}

// replyDurable answers once all rows so far are durable.
func (m *Machine) replyDurable(r Reply) {
	if r.Req != 0 {
		m.do(Append{Token: m.token(r)})
	}
}

// record adds a row.
func (m *Machine) record(turn string, item Item) timeline.Row {
	m.limits.fit(&item)
	at := m.now
	if at.Before(m.rows.lastAt) {
		at = m.rows.lastAt
	}
	return m.recordAt(turn, item, at)
}

func (m *Machine) recordAt(turn string, item Item, at time.Time) timeline.Row {
	row := timeline.Row{Seq: m.rows.next, At: at, Turn: turn, Item: item}
	m.rows.next++
	m.rows.lastAt = at
	m.say(item)
	if item.ClientID != "" {
		m.known[item.ClientID] = row.Seq
	}
	if item.Kind == timeline.User {
		m.agent.LastUserMessageAt = at
	}
	if r := m.run; r != nil && len(r.collect) > 0 && r.turn == turn {
		r.items = append(r.items, item)
	}
	m.append(timeline.Entry{Row: &row}, Reply{})
	m.publish(RowAppended{m.id, m.rows.epoch, row})
	return row
}

// say keeps the last thing that the assistant said.
func (m *Machine) say(item Item) {
	if item.Kind == timeline.Assistant {
		if m.rows.last.Kind != timeline.Assistant {
			m.rows.said = nil
		}
		m.rows.said = append(m.rows.said, item)
	}
	m.rows.last = item
}

// change writes a row anew, unless it went with its epoch.
func (m *Machine) change(row timeline.Row) {
	if row.Seq == 0 {
		return
	}
	m.append(timeline.Entry{Change: &row}, Reply{})
	m.publish(RowChanged{m.id, m.rows.epoch, row})
}

// newEpoch makes all rows void.
func (m *Machine) newEpoch(epoch string) {
	m.buffer.take(m.now)
	m.stopTimer("coalesce")
	m.rows = rows{epoch: epoch, next: 1, born: true}
	m.known = map[string]int64{}
	m.open, m.unsure = openItems{}, nil
	for _, s := range m.texts {
		s.row.Seq = 0
	}
	for _, s := range m.queue {
		s.row.Seq = 0
	}
	m.append(timeline.Entry{Epoch: epoch}, Reply{})
	m.publish(TimelineReplaced{m.id, epoch})
}

func (m *Machine) lastMessage() string { return joined(m.rows.said) }
