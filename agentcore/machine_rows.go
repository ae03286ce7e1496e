package agentcore

import (
	"slices"
	"strings"
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
	said   []string // the last group of adjacent assistant texts
	born   bool     // the log knows the epoch
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
		m.rows.said = append(m.rows.said, item.Text)
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

// hydrate reads the provider's history into the timeline.
func (m *Machine) hydrate(in Asked, r HydrateRequest) {
	switch {
	case m.primed && !r.Force:
		m.reply(in.Req, nil, nil)
	case m.sess.phase != sessionReady || m.run != nil:
		m.reply(in.Req, nil, saying("Agent %s is not idle: its history can be read when nothing runs", m.id))
	case m.pendingKind(callHistory):
		m.sess.reading = append(m.sess.reading, in.Req)
	default:
		m.sess.reading = append(m.sess.reading, in.Req)
		m.fresh = in.Fresh
		m.readHistory()
	}
}

// historyRead puts all of the history in the place of the rows, or, after an
// error, leaves the rows as they are.
func (m *Machine) historyRead(a Answer) {
	reading := m.sess.reading
	m.sess.reading = nil
	items, ok := a.Value.([]HistoryItem)
	err := a.Err
	if err == nil && !ok && a.Value != nil {
		err = saying("The session's history is a %T", a.Value)
	}
	if err == nil {
		m.fill(items)
	} else {
		m.publish(Streamed{m.id, Notice{Level: "warning", Text: "history: " + err.Error()}})
	}
	for _, req := range reading {
		m.reply(req, nil, err)
	}
	if m.sess.phase == sessionReading {
		m.sessionReady()
	}
}

func (m *Machine) fill(items []HistoryItem) {
	if m.rows.next > 1 {
		if m.fresh == "" { // a new session reads what the last one could not
			m.fresh = m.rows.epoch + "+"
		}
		m.newEpoch(m.fresh)
		m.fresh = ""
	}
	m.primed = true
	for _, h := range items {
		if id := h.Item.ClientID; id != "" && m.known[id] != 0 {
			continue
		}
		at := h.At
		if at.IsZero() {
			at = m.now
		}
		m.recordAt("", h.Item, at)
	}
	m.rows.lastAt = slices.MaxFunc([]time.Time{m.now, m.rows.lastAt}, time.Time.Compare)
	if len(m.sess.reading) > 0 || m.agent.Lifecycle != Initializing {
		m.emit()
	}
}

// verified: what an earlier process had accepted stands in the provider's
// history, or was lost with it.
func (m *Machine) verified(a Answer) {
	items, ok := a.Value.([]HistoryItem)
	if a.Err == nil && ok {
		for _, row := range m.unsure {
			i := slices.IndexFunc(items, func(h HistoryItem) bool { return sameText(h.Item, row.Item) })
			if i < 0 {
				row.Item.State = "undelivered"
				m.change(row)
				m.publish(Undelivered{Agent: m.id, ClientID: row.Item.ClientID, Text: row.Item.Text, Turn: row.Turn})
				continue
			}
			row.ProviderID = items[i].Item.ID
			m.change(row)
			items = slices.Delete(slices.Clone(items), i, i+1)
		}
		m.unsure = nil
	}
	if m.sess.phase == sessionReading {
		m.sessionReady()
	}
}

func sameText(h, row Item) bool {
	if h.Kind != timeline.User {
		return false
	}
	return h.ClientID == row.ClientID || h.ClientID == "" && strings.TrimSpace(h.Text) == row.Text
}

func (m *Machine) lastMessage() string { return strings.Join(m.rows.said, "") }
