package agentcore

import (
	"slices"
	"strings"
	"time"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

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
