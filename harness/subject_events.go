package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// line takes one line of the manager's output.
func (m *foreign) line(line []byte) {
	m.at.n++
	m.at.text = line
	var l managerLine
	switch err := json.Unmarshal(line, &l); {
	case m.at.n > mostLines:
		m.fault(fmt.Sprintf("these are more than %d lines", mostLines), "it writes without end")
		m.child.Kill()
	case err != nil:
		m.fault(notAMessage(err), "messages are JSON objects, one a line; all else belongs on standard error")
	case l.ID != 0:
		m.answer(l)
	default:
		m.moved()
		m.tell(l)
	}
}

func notAMessage(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Sprintf("this is no message: %s is a %s", wrong.Field, wrong.Value)
	}
	return "this is no message"
}

// outputLine is where in the manager's output a fault is.
type outputLine struct {
	n    int
	text []byte
}

const (
	longestLine = 16 << 20 // bytes
	mostLines   = 500_000  // of one run
)

// fault ends the run: what the manager has written means nothing.
func (m *foreign) fault(what, cure string) {
	m.complain(fmt.Errorf("the manager %s, line %d of its output: %s\n%s; %s (doc/managers.md)", m.name, m.at.n, cut(m.at.text), what, cure))
}

// complain ends the run. What comes of its end is not judged: a manager may well
// start its codex anew when that is gone.
func (m *foreign) complain(why error) {
	over := false
	m.env.log.View(func([]eventlog.Event) { over = m.env.run.Closing })
	if !over {
		m.env.parted(why)
	}
}

// answer hands on an answer. One to a sync is no news of its own.
func (m *foreign) answer(l managerLine) {
	m.mu.Lock()
	c, first := m.calls[l.ID], m.calls[1]
	delete(m.calls, l.ID)
	last := m.last
	m.mu.Unlock()
	switch {
	case c == nil && l.ID > 0 && l.ID <= last:
		m.fault(fmt.Sprintf("call %d has its answer already", l.ID), "each call is answered once")
	case c == nil:
		m.fault(fmt.Sprintf("there is no call %d", l.ID), fmt.Sprintf("an answer has the id of its call; the last was %d", last))
	case first != nil && l.ID != 1 && l.Error == "":
		m.fault("this manager does not answer `sync`: "+fmt.Sprintf("%q came after it", c.name), "a sync that names no codex is answered at once")
	default:
		c.answered(l.managerAnswer)
	}
}

// tell puts an event into the log.
func (m *foreign) tell(l managerLine) {
	a := m.env.agent(l.Agent)
	words, known := eventWords[l.Event]
	switch {
	case !known:
		m.fault(fmt.Sprintf("there is no event %q", l.Event), "there are "+list(slices.Sorted(maps.Keys(eventWords))))
	case a == nil:
		m.fault(fmt.Sprintf("there is no agent %q", l.Agent), "an event names the agent of its create call")
	case words.of != nil && !slices.Contains(words.known, words.of(l)):
		m.fault(fmt.Sprintf("%s is %q", words.member, words.of(l)), "it is one of "+list(words.known))
	default:
		m.env.log.Append(a.name, m.event(a, l))
	}
}

func list(words []string) string {
	var named []string
	for _, w := range words {
		if w != "" {
			named = append(named, w)
		}
	}
	return strings.Join(named, ", ")
}

// eventWords are the events, and of each the member that has its words.
var eventWords = map[string]struct {
	member string
	of     func(managerLine) string
	known  []string
}{
	"state":       {"state", func(l managerLine) string { return l.State }, []string{"idle", "running", "error"}},
	"turn":        {"status", func(l managerLine) string { return l.Status }, []string{"started", "completed", "interrupted", "failed"}},
	"row":         {"kind", func(l managerLine) string { return l.Kind }, []string{"user", "assistant", "thought", "tool", "compaction", "error"}},
	"permission":  {"outcome", func(l managerLine) string { return l.Outcome }, []string{"", "allowed", "denied", "cancelled"}},
	"notice":      {"level", func(l managerLine) string { return l.Level }, []string{"error", "warning"}},
	"undelivered": {},
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
