package mockprovider

import (
	"encoding/json"
	"net/http"
)

// EventKind says what happened to an exchange.
type EventKind string

// The kinds of events, in the order in which an exchange can meet them.
const (
	Arrived   EventKind = "arrived"   // classified and matched; Exchange is complete
	Unmatched EventKind = "unmatched" // no reply: refused; Text explains the nearest rule
	Violation EventKind = "violation" // the client broke the protocol; Text says how
	Held      EventKind = "held"      // stands at Gate
	Released  EventKind = "released"  // goes on from Gate
	Sent      EventKind = "sent"      // What is about to happen to the wire: "headers", an event type, "end", or "cut"
	Noted     EventKind = "noted"     // no exchange: a WebSocket frame that asks for nothing, as response.processed; What is its type, Data the frame
	Gone      EventKind = "gone"      // the client left before the end
	Ended     EventKind = "ended"     // all was written, or the script cut it
)

// EventKinds are all of them.
var EventKinds = []EventKind{Arrived, Unmatched, Violation, Held, Released, Sent, Noted, Gone, Ended}

// Event is a happening at the provider. It is reported before its bytes go
// out, so that nothing the client does in answer can come earlier.
type Event struct {
	Kind     EventKind
	Exchange *Exchange
	Gate     string          // Held, Released
	What     string          // Sent: the frame; Held: the frame that waits; Noted: the type; Violation: the rule, call_outputs or frames
	Frames   int             // Held, Gone, Ended: frames sent before (headers, each event or body, and end count one each)
	Data     json.RawMessage // Sent: the event as written; Noted: the frame
	Text     string          // Unmatched, Violation: what is wrong; Ended: how the script cut it, if it did
}

// Exchange is one request and what became of it. It does not change once
// Arrived was reported.
type Exchange struct {
	ID     int    `json:"id"`     // counts up from 1 over the server; 0 of what is Noted
	Agent  string `json:"agent"`  // by the handler that it came to
	Thread string `json:"thread"` // "" when the client does not say
	TurnID string `json:"turn_id"`
	Class  Class  `json:"class"`
	Why    string `json:"why"`   // why it has this class
	N      int    `json:"n"`     // number among its agent, thread and class, from 1; attempts do not count
	Try    int    `json:"try"`   // attempt, from 1
	Reply  int    `json:"reply"` // index of the reply that answers, -1: none

	Method      string          `json:"method"`
	Path        string          `json:"path"`
	Header      http.Header     `json:"header"`
	Body        json.RawMessage `json:"body"`        // decoded; nil when there is none
	Transport   string          `json:"transport"`   // sse, json, websocket
	Connection  int             `json:"connection"`  // WebSocket connection, from 1; 0 over HTTP
	Incremental bool            `json:"incremental"` // a WebSocket request with previous_response_id

	Model     string   `json:"model"`
	UserTexts []string `json:"user_texts"` // of every user item, in order
	LastItem  string   `json:"last_item"`  // type of the last input item; for messages "message/ROLE"
	Outputs   []string `json:"outputs"`    // call ids that have an output in the input
}
