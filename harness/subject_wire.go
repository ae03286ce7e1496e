package harness

import (
	"encoding/json"
	"strings"

	"github.com/heldstream/heldstream/harness/eventlog"
)

// shownWire makes of codex's own notifications what a manager would tell: the
// agent's state, its turns and the rows of its timeline. It is called by codex's
// reader alone.
type shownWire struct {
	log   *eventlog.Log
	agent string
	rows  int

	compaction eventlog.Row // the last one of its kind
}

// shownNote is what it reads of a notification.
type shownNote struct {
	TurnID string
	Turn   struct {
		ID, Status string
		Error      *struct{ Message string }
	}
	Item shownItem
}

type shownItem struct {
	Type, ID, Text, Status string
	Summary                []string
	Content                json.RawMessage
}

func (w *shownWire) state(lifecycle string) {
	w.log.Append(w.agent, eventlog.State{Lifecycle: lifecycle})
}

func (w *shownWire) notified(method string, params json.RawMessage) {
	var n shownNote
	// What has members of other types than these is none of those below.
	if json.Unmarshal(params, &n) != nil {
		return
	}
	switch method {
	case "turn/started":
		w.log.Append(w.agent, eventlog.Turn{ID: n.Turn.ID, Status: "started"})
		w.state("running")
	case "turn/completed":
		w.ended(n)
	case "item/started":
		w.item(n, false)
	case "item/completed":
		w.item(n, true)
	}
}

func (w *shownWire) ended(n shownNote) {
	// codex never completes a compaction that it gave up.
	if c := w.compaction; c.Status == "running" && c.Turn == n.Turn.ID {
		c.Status = "aborted"
		w.put(c)
	}
	end := eventlog.Turn{ID: n.Turn.ID, Status: n.Turn.Status}
	if n.Turn.Error != nil {
		end.Error = n.Turn.Error.Message
	}
	w.log.Append(w.agent, end)
	w.state("idle")
}

// item shows texts when they are whole, tools and compactions from their start.
func (w *shownWire) item(n shownNote, done bool) {
	row := eventlog.Row{Item: n.Item.ID, Turn: n.TurnID}
	switch it := n.Item; it.Type {
	case "userMessage":
		row.Kind, row.Text = "user", it.userText()
	case "agentMessage":
		row.Kind, row.Text = "assistant", it.Text
	case "reasoning":
		row.Kind, row.Text = "thought", strings.Join(it.Summary, "\n\n")
	case "contextCompaction":
		row.Kind, row.Status = "compaction", "running"
		if done {
			row.Status = "completed"
		}
		w.put(row)
		return
	case "commandExecution", "fileChange", "mcpToolCall", "dynamicToolCall", "webSearch":
		row.Kind, row.Name, row.Status = "tool", it.Type, it.Status
		if !done {
			row.Status = "running"
		}
		w.put(row)
		return
	}
	if done && row.Kind != "" {
		w.put(row)
	}
}

func (it shownItem) userText() string {
	var parts []struct{ Type, Text string }
	_ = json.Unmarshal(it.Content, &parts) // a message without texts has none
	var texts []string
	for _, p := range parts {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// put adds a row: a timeline only grows, what has changed is told by one more.
func (w *shownWire) put(row eventlog.Row) {
	w.rows++
	row.Seq = w.rows
	w.log.Append(w.agent, row)
	if row.Kind == "compaction" {
		w.compaction = row
	}
}
