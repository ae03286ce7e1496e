package mockprovider

import (
	"encoding/json"
	"time"
)

// Script says what a Server answers. Replies are tried in order: the first
// that matches a request and has uses left answers it. A nil Script, or one
// without a matching reply, refuses the request.
//
// A Script is not changed once a Server has it; one Script may serve several
// Servers.
type Script struct {
	Replies []Reply

	// Meter, when set, is what replies without Tokens report.
	Meter *Meter
	// Window is the model's context window in tokens. A request whose input is
	// larger, at four bytes a token, gets context_length_exceeded. 0: no limit.
	Window int
	// CompactPrompt is the client's configured compaction prompt, if it has
	// one of its own: a last user text equal to it makes a request an inline
	// compaction.
	CompactPrompt string
	// Models are the entries that GET /models lists.
	Models []json.RawMessage
	// Realtime, when set, is served at /v1/realtime.
	Realtime *Realtime
	// Upgrade says what a WebSocket handshake gets; nil accepts it.
	Upgrade *Upgrade
	// Expand resolves `${name}` in reply texts where the provider does not know
	// the name itself (it knows n). It must be safe for concurrent use.
	Expand func(agent, name string) (string, bool)
}

// Meter reports a context that grows: Start tokens for the first turn of a
// thread, PerTurn more for each that follows.
type Meter struct{ Start, PerTurn int }

// Class is the kind of a request, as the classifier told it apart.
type Class string

// The request classes. A Reply's To may also be AnyCompaction or AnyClass.
const (
	Turn             Class = "turn"
	CompactionInline Class = "compaction.inline"
	CompactionV1     Class = "compaction.v1"
	CompactionV2     Class = "compaction.v2"
	Prewarm          Class = "prewarm"
	Review           Class = "review"
	Guardian         Class = "guardian"
	Subagent         Class = "subagent"
	Models           Class = "models"
	Side             Class = "side"
	Handshake        Class = "handshake" // a WebSocket upgrade that was refused
	Unknown          Class = "unknown"

	AnyCompaction Class = "compaction"
	AnyClass      Class = "any"
)

// Reply is a rule: which requests it answers, and with what.
type Reply struct {
	To       Class
	Path     string // with To Side: the path it answers
	Match    Match
	Times    int  // requests it answers; 0: no end
	Optional bool // need not be used

	Say   []string // the assistant message; several: sent as so many deltas
	Think *Think
	Call  []Call
	// Compaction holds the texts of the compaction items.
	Compaction []string
	Tokens     *Tokens // nil: the Meter's, or 100
	ID         string  // the response's id; "": resp-N of (agent, thread, class)
	End        string  // completed (also ""), incomplete:REASON, failed:CODE, none
	Message    string  // of a failure

	Status  int // 0: 200
	Body    string
	Headers map[string]string

	Holds []Hold
	Delay time.Duration // before each event
	Cut   *Cut
	Frame Frame

	// Events are sent as they are, instead of those made from the keys above.
	Events []json.RawMessage
	// Malformed lets through a sequence that Check would refuse.
	Malformed bool

	// Attempts, when not empty, are what the first, second, … try of a request
	// gets; each is complete in itself. One try more than listed is a fault
	// unless the last says Again.
	Attempts []Reply
	Again    bool
}

// Match narrows the requests that a Reply answers. Zero fields match all.
type Match struct {
	User       *Text // the last user text
	Lacks      []string
	Header     map[string]Text
	Model      string
	Agent      string
	JSON       map[string]any // gjson path -> value
	Nth        int            // number in its class, from 1
	ToolOutput *ToolOutput
}

// Text matches a text; the fields that are set must all hold.
type Text struct {
	Is       *string
	Contains string
	Re       string // RE2
}

// ToolOutput looks at the items after the last user item.
type ToolOutput struct {
	Present  bool
	Contains string
}

// Think is a reasoning item.
type Think struct {
	Summary   []string
	Text      []string
	Encrypted string
}

// Call is a tool call item.
type Call struct {
	Tool      string
	Args      json.RawMessage // a JSON value; sent as a string
	Input     string          // of a custom tool
	ID        string          // call_id; "": call_N
	Kind      string          // function (also ""), custom, local_shell, web_search, tool_search, image_generation
	Namespace string
}

// Tokens is the usage that a reply reports. Total 0 means Input + Output.
type Tokens struct {
	Input, Cached, Output, Reasoning, Total int
	Omitted                                 bool // report no usage at all
}

// Hold stops a reply at a gate until it is released. With neither Before nor
// After it stands before the headers for a compaction, and after the headers
// and before the first event for the rest. Before and After name an event
// type, "headers" or "end".
type Hold struct{ Gate, Before, After string }

// Cut breaks the connection after an event, or after a number of body bytes;
// with neither, before the headers. A WebSocket counts the bytes of its messages.
type Cut struct {
	After string
	Bytes int
	How   string // close (also ""), reset; close:CODE closes a WebSocket in due form
}

// Frame says how the events are put on the wire. A WebSocket heeds Chunk and
// Comments; the others shape the text of server-sent events.
type Frame struct {
	Chunk        int // bytes a write, or a fragment of a message; 0: one write an event
	CRLF         bool
	Comments     *Comments
	NoEventLines bool
	Done         bool // end with data: [DONE]
	Coalesce     int  // events a write
}

// Comments are heartbeats, on a WebSocket pings: Times of them, Every apart, before the event
// Before, or before each event when Before is empty.
type Comments struct {
	Times  int
	Every  time.Duration
	Before string
}

// Realtime scripts the realtime WebSocket server.
type Realtime struct {
	Hold string // a gate before session.updated
}

// Upgrade scripts WebSocket handshakes.
type Upgrade struct {
	Status  int    // 426, 403, 503 …; 0 accepts
	Times   int    // handshakes it applies to; 0: all
	How     string // "", hang (no answer), reset (once upgraded), silent (upgraded, then nothing)
	Headers map[string]string
}

// Fault is what is wrong with a Script. Path names the place, as in
// reply[2].hold.before.
type Fault struct {
	Path    string `json:"path"`
	Message string `json:"message"`
	Warning bool   `json:"warning"`
}
