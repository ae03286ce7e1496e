package reading

import (
	"encoding/json"
	"strings"

	"github.com/heldstream/heldstream/harness/eventlog"
)

// Request is one request to the provider and how far its answer is.
type Request struct {
	eventlog.Request
	Agent    string
	Gate     string   // where it stands; "" when it does not
	Passed   []string // gates that it stood at and was let through
	Left     string   // the gate at which the client left it
	Headers  bool     // the answer's headers are out
	Gone     bool     // the client left
	Ended    bool     // the answer is written
	Complete bool     // response.completed was sent
}

// prewarms reports whether it begins a WebSocket; one that is refused is given up.
func (q *Request) prewarms() bool { return q.Class == "prewarm" || q.Class == "handshake" }

// Open reports whether the answer is neither written nor abandoned.
func (q *Request) Open() bool { return !q.Gone && !q.Ended }

func (r *Run) applyProvider(a *Agent, b eventlog.Body) {
	switch b := b.(type) {
	case eventlog.Request:
		q := &Request{Request: b, Agent: a.Name}
		a.dropDebts(b.Turn) // the turn has gone on: what was to show has, or was cut
		r.Requests[b.ID] = q
		a.Requests = append(a.Requests, q)
	case eventlog.Refused:
		r.Refused = append(r.Refused, b)
	case eventlog.Breach:
		r.Breaches = append(r.Breaches, b)
	case eventlog.Held:
		r.answering(b.ID, func(q *Request) {
			q.Gate = b.Gate
			a.prewarmed(q) // as far as it goes
		})
	case eventlog.Released:
		r.answering(b.ID, func(q *Request) {
			q.Gate, q.Passed = "", append(q.Passed, b.Gate)
			if q.prewarms() {
				a.owed.add(prewarm, q.Thread)
			}
		})
	case eventlog.Sent:
		r.answering(b.ID, func(q *Request) { a.sent(q, b) })
	case eventlog.Gone:
		r.answering(b.ID, func(q *Request) {
			q.Left = q.Gate
			a.closed(q)
			q.Gone = true
		})
	case eventlog.Ended:
		r.answering(b.ID, func(q *Request) {
			a.closed(q)
			q.Ended = true
		})
	}
}

// answering tells a request of its answer. A refused request is none: what is
// sent for it is the refusal.
func (r *Run) answering(id int, f func(*Request)) {
	if q := r.Requests[id]; q != nil {
		f(q)
	}
}

// dropDebts forgets what the answers to a turn's requests owed.
func (a *Agent) dropDebts(turn string) {
	for _, q := range a.Requests {
		if q.Turn == turn {
			a.owed.drop(q.ID)
		}
	}
}

// closed: a stream that is over owes nothing by itself; what it said shows
// before its turn ends. Tools that a whole answer called are still to begin.
func (a *Agent) closed(q *Request) {
	if !q.Complete {
		a.owed.drop(q.ID)
	}
	q.Gate = ""
	a.prewarmed(q)
}

const prewarm = "the prewarm of a WebSocket"

func (a *Agent) prewarmed(q *Request) {
	if q.prewarms() {
		a.owed.settle(prewarm, q.Thread)
	}
}

// sent books what the bytes before a gate show. Compactions show nothing, and
// neither do the requests of codex's own helpers.
func (a *Agent) sent(q *Request, b eventlog.Sent) {
	switch b.What {
	case "headers":
		q.Headers = true
	case "response.completed":
		q.Complete = true
	}
	// What a program prints of an answer, and when, nobody knows. What is written
	// for a turn that is over shows nowhere, though old versions read it.
	if t := a.turns[q.Turn]; q.Class != "turn" || a.Traits.Program || t != nil && t.Status != "" {
		return
	}
	var e struct {
		ItemID string `json:"item_id"`
		Delta  string `json:"delta"`
		Item   struct {
			Type      string `json:"type"`
			ID        string `json:"id"`
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
			CallID    string `json:"call_id"`
			Args      string `json:"arguments"`
		} `json:"item"`
	}
	if json.Unmarshal(b.Data, &e) != nil {
		return
	}
	if id := e.Item.CallID; id != "" && a.Called[id] == 0 {
		a.Called[id] = len(a.Called) + 1
	}
	switch {
	case b.What == "response.output_item.added" && e.Item.Type == "message":
		a.owed.addFor(q.ID, "item/started", e.Item.ID)
	case b.What == "response.output_text.delta" && e.Delta != "":
		a.owed.addFor(q.ID, "a delta", e.ItemID)
	case b.What == "response.output_item.done" && visible(e.Item.Type, e.Item.Name, e.Item.Namespace):
		a.owed.addFor(q.ID, "item/started", e.Item.CallID)
		a.yields[e.Item.CallID] = strings.Contains(e.Item.Args, `"yield_time_ms"`)
	}
}

// visible reports whether codex shows a call as an item with the call's id.
func visible(kind, tool, namespace string) bool {
	switch kind {
	case "function_call":
		return tool == "exec_command" || strings.HasPrefix(namespace, "mcp__")
	case "custom_tool_call":
		return tool == "apply_patch"
	}
	return false
}
