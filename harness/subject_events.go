package harness

import (
	"encoding/json"
	"fmt"

	"github.com/heldstream/heldstream/harness/eventlog"
)

// managerLine is what a manager writes: an answer, which has an id, or an event.
type managerLine struct {
	ID int `json:"id"`
	managerAnswer
	Event string `json:"event"`
	Agent string `json:"agent"`

	State  string `json:"state"`
	Queued int    `json:"queued"`

	Row    string `json:"row"` // the same id again changes the row
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Text   string `json:"text"`
	Status string `json:"status"` // of rows and turns

	Permission string `json:"permission"`
	Item       string `json:"item"`
	Outcome    string `json:"outcome"`

	Level   string `json:"level"`
	Message string `json:"message"`
}

func (m *foreign) line(line []byte) {
	var l managerLine
	if err := json.Unmarshal(line, &l); err != nil {
		m.env.parted(fmt.Errorf("the manager wrote a line that is no message (%w): %s; what is no message belongs on standard error", err, cut(line)))
		return
	}
	if l.ID != 0 {
		m.answer(l)
		return
	}
	m.moved()
	a := m.env.agent(l.Agent)
	if a == nil {
		m.env.parted(fmt.Errorf("the manager tells of agent %q, and there is none: %s", l.Agent, cut(line)))
		return
	}
	if body := m.event(a, l); body != nil {
		m.env.log.Append(a.name, body)
		return
	}
	m.env.parted(fmt.Errorf("the manager's event %q is not known; doc/managers.md has them all: %s", l.Event, cut(line)))
}

// answer hands on an answer. One to a sync is no news of its own.
func (m *foreign) answer(l managerLine) {
	m.mu.Lock()
	answered := m.calls[l.ID]
	delete(m.calls, l.ID)
	m.mu.Unlock()
	if answered == nil {
		m.env.parted(fmt.Errorf("the manager answers call %d, which is not open", l.ID))
		return
	}
	answered(l.managerAnswer)
}

func (m *foreign) event(a *agent, l managerLine) eventlog.Body {
	switch l.Event {
	case "state":
		return eventlog.State{Lifecycle: l.State, Queued: l.Queued, Error: l.Error}
	case "turn":
		return eventlog.Turn{ID: l.Turn, Status: l.Status, Error: l.Error}
	case "row":
		return m.row(a, l)
	case "permission":
		return eventlog.Permission{Request: l.Permission, Item: l.Item, Title: l.Text, Outcome: l.Outcome}
	case "notice":
		return eventlog.Notice{Level: l.Level, Text: l.Text}
	case "undelivered":
		return eventlog.Undelivered{ID: l.Message, Text: l.Text}
	}
	return nil
}

// row numbers the rows by their first appearance.
func (m *foreign) row(a *agent, l managerLine) eventlog.Body {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.rows[a]
	if known == nil {
		known = map[string]int{}
		m.rows[a] = known
	}
	row := eventlog.Row{Kind: l.Kind, Name: l.Name, Text: l.Text, Status: l.Status, Item: l.Item, Turn: l.Turn}
	if seq, ok := known[l.Row]; ok && l.Row != "" {
		row.Seq, row.Changed = seq, true
		return row
	}
	m.seq[a]++
	row.Seq = m.seq[a]
	known[l.Row] = row.Seq
	return row
}
