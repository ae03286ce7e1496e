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
	Sent      EventKind = "sent"      // What is about to be written: "headers", an event type, or "end"
	Gone      EventKind = "gone"      // the client left before the end
	Ended     EventKind = "ended"     // all was written, or the script cut it
)

// Event is a happening at the provider. It is reported before its bytes go
// out, so that nothing the client does in answer can come earlier.
type Event struct {
	Kind     EventKind
	Exchange *Exchange
	Gate     string          // Held, Released
	What     string          // Sent: the frame; Held: the frame that waits
	Frames   int             // Held, Gone, Ended: frames sent before (headers, each event or body, and end count one each)
	Data     json.RawMessage // Sent: the event as written
	Text     string          // Unmatched, Violation: what is wrong; Ended: how the script cut it, if it did
}

// Exchange is one request and what became of it. It does not change once
// Arrived was reported.
type Exchange struct {
	ID     int    // counts up from 1 over the server
	Agent  string // by the handler that it came to
	Thread string // "" when the client does not say
	TurnID string
	Class  Class
	Why    string // why it has this class
	N      int    // number among its agent, thread and class, from 1; attempts do not count
	Try    int    // attempt, from 1
	Reply  int    // index of the reply that answers, -1: none

	Method, Path string
	Header       http.Header
	Body         json.RawMessage // decoded; nil when there is none
	Transport    string          // sse, json, websocket
	Connection   int             // WebSocket connection, from 1; 0 over HTTP
	Incremental  bool            // a WebSocket request with previous_response_id

	Model     string
	UserTexts []string // of every user item, in order
	LastItem  string   // type of the last input item; for messages "message/ROLE"
	Outputs   []string // call ids that have an output in the input
}
