package tape

import (
	"encoding/json"
	"strconv"
)

// Recorder is the version of the rules by which tapes are made. A tape of
// another one is refused.
const Recorder = 1

// Tape is a recorded run.
type Tape struct {
	Head     Head
	Sections []Section // one a process, in the order of their starts
}

// Head says what a tape is from.
type Head struct {
	Codex    string `json:"codex"`    // its version
	Recorder int    `json:"recorder"` // by which it was made
	Scenario string `json:"scenario"` // hash of all of the scenario that codex can notice
	Variant  string `json:"variant,omitempty"`
}

// Section is what one codex process did.
type Section struct {
	Agent   string // whose process it was
	Lines   []Line
	Exit    Exit
	Rollout []json.RawMessage // what the process left of the conversation, if kept
}

// Exit is how a process ended.
type Exit struct {
	// Asked is close or kill when the manager ended it, "" when it ended by
	// itself.
	Asked  string `json:"asked,omitempty"`
	Code   int    `json:"code"`
	Signal string `json:"signal,omitempty"`
	Stderr string `json:"stderr,omitempty"` // of one that ended by itself
}

// Mark says who did what a line tells.
type Mark byte

// The marks of lines.
const (
	Manager  Mark = '>' // told to codex by the manager
	Codex    Mark = '<' // told to the manager by codex
	Request  Mark = '?' // asked by codex over HTTP: of the provider, or of the manager's tools
	Provider Mark = '~' // told to codex by who was asked
	Cut      Mark = 'x' // codex left the answer
	Gate     Mark = '|' // a tool that stood at a gate was let go on
)

// The verbs of lines.
const (
	Call    = "call"    // a JSON-RPC request; N numbers it among its side's
	Note    = "note"    // a notification
	Answer  = "answer"  // the result of call N of the other side
	Error   = "error"   // the error of call N of the other side
	Ask     = "request" // request N; Name is its class, or the method of MCP
	Event   = "event"   // a frame of the answer to request N
	Leave   = "cut"     // the end of request N by codex
	Stand   = "stand"   // a tool has come to the gate Name
	Release = "release" // of the gate Name
)

// The names of provider events that are no events of a stream.
const (
	Headers = "headers"
	Body    = "body" // of an answer that is no stream
	End     = "end"
	Broken  = "cut" // the provider broke the connection
)

// Line is one act.
type Line struct {
	Mark   Mark
	Thread string // "": it concerns the whole process
	Verb   string
	N      int
	Tools  bool   // of a request to the manager's tools: these have numbers of their own, m1, m2 …
	Name   string // method, class, event type or gate
	Data   json.RawMessage
}

// Wire is the Data of a request.
type Wire struct {
	Method     string              `json:"method"`
	Path       string              `json:"path"`
	Header     map[string][]string `json:"header,omitempty"`
	Body       json.RawMessage     `json:"body,omitempty"`
	Connection int                 `json:"connection,omitempty"` // of a WebSocket
}

// shape says which parts a line of a verb has.
type shape struct {
	marks              string
	number, name, data bool
	asked              bool // it is of a request
}

var shapes = map[string]shape{
	Call:    {marks: "><", number: true, name: true, data: true},
	Note:    {marks: "><", name: true, data: true},
	Answer:  {marks: "><", number: true, data: true},
	Error:   {marks: "><", number: true, data: true},
	Ask:     {marks: "?", number: true, name: true, data: true, asked: true},
	Event:   {marks: "~", number: true, name: true, data: true, asked: true},
	Leave:   {marks: "x", number: true, asked: true},
	Stand:   {marks: "<", name: true},
	Release: {marks: "|", name: true},
}

// number is N as it stands in a tape.
func (l Line) number() string {
	if l.Tools {
		return "m" + strconv.Itoa(l.N)
	}
	return strconv.Itoa(l.N)
}

// tells reports whether the line is something that codex was told.
func (l Line) tells() bool { return l.Mark == Manager || l.Mark == Provider || l.Mark == Gate }
