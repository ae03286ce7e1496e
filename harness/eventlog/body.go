package eventlog

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Body is what happened. Its JSON form stands in traces and reports.
type Body interface{ body() }

// The runner.
type (
	// StepBegan: the runner has come to a step of the scenario.
	StepBegan struct {
		Index int    `json:"index"` // from 1; one past the last: closing down
		Title string `json:"title"`
	}
	// StepFailed: a step could not do what it says.
	StepFailed struct {
		Index int    `json:"index"`
		Text  string `json:"text"`
	}
	// Settled: everything that can happen has happened.
	Settled struct{}
)

// The provider. ID numbers a request over the run, from 1.
type (
	// Request: a request has arrived and was told apart and matched.
	Request struct {
		ID          int             `json:"id"`
		Thread      string          `json:"thread,omitempty"`
		Turn        string          `json:"turn,omitempty"` // the client's id of it
		Class       string          `json:"class"`
		Why         string          `json:"why,omitempty"`
		N           int             `json:"n"`   // in its agent, thread and class
		Try         int             `json:"try"` // attempt, from 1
		Reply       int             `json:"reply"`
		Method      string          `json:"method"`
		Path        string          `json:"path"`
		Header      http.Header     `json:"header,omitempty"`
		Payload     json.RawMessage `json:"body,omitempty"`
		Transport   string          `json:"transport"`
		Connection  int             `json:"connection,omitempty"`
		Incremental bool            `json:"incremental,omitempty"`
		Model       string          `json:"model,omitempty"`
		Texts       []string        `json:"texts,omitempty"` // of its user items
		LastItem    string          `json:"last_item,omitempty"`
		Outputs     []string        `json:"outputs,omitempty"` // calls with an output in it
	}
	// Held: the answer to a request stands at a gate.
	Held struct {
		ID   int    `json:"id"`
		Gate string `json:"gate"`
	}
	// Released: it goes on.
	Released struct {
		ID   int    `json:"id"`
		Gate string `json:"gate"`
	}
	// Sent: a part of the answer is about to be written: "headers", an event's
	// type, or "end".
	Sent struct {
		ID   int             `json:"id"`
		What string          `json:"what"`
		Data json.RawMessage `json:"data,omitempty"`
	}
	// Gone: the client left before the answer was written.
	Gone struct {
		ID int `json:"id"`
	}
	// Ended: nothing more is written.
	Ended struct {
		ID int `json:"id"`
	}
	// Refused: no reply answers the request.
	Refused struct {
		ID      int             `json:"id"`
		Text    string          `json:"text"`
		Payload json.RawMessage `json:"-"`
	}
	// Breach: the client broke the protocol.
	Breach struct {
		ID        int    `json:"id"`
		Invariant string `json:"invariant"` // call_outputs, frames
		Text      string `json:"text"`
	}
)

// The process and its wire.
type (
	// Started: a codex process runs.
	Started struct {
		PID int `json:"pid,omitempty"`
	}
	// ToCodex: a line is about to be written to codex.
	ToCodex struct {
		Line json.RawMessage `json:"line"`
	}
	// FromCodex: a line was read from codex.
	FromCodex struct {
		Line json.RawMessage `json:"line"`
	}
	// Stderr: codex has written to standard error.
	Stderr struct {
		Text string `json:"text"`
	}
	// Exited: the process is gone.
	Exited struct {
		Code   int    `json:"code"`
		Signal string `json:"signal,omitempty"`
		Text   string `json:"text,omitempty"`
	}
	// Rollout: what codex keeps of a conversation, line by line, at the end.
	Rollout struct {
		Lines []json.RawMessage `json:"lines"`
	}
	// Outside: something asked for a host that is not ours.
	Outside struct {
		Host string `json:"host"`
	}
	// WireActed: a rule of the scenario did something to a message between
	// manager and codex: held, released, dropped, repeated, failed, exited.
	WireActed struct {
		Rule   int    `json:"rule"` // from 1; 0: the message was only behind another
		Action string `json:"action"`
		Gate   string `json:"gate,omitempty"`
		Method string `json:"method"`
		What   string `json:"what"` // request, reply, notification
	}
	// ToolHeld: a command that a tool runs has come to a gate.
	ToolHeld struct {
		Gate string `json:"gate"`
	}
	// ToolReleased: it goes on.
	ToolReleased struct {
		Gate string `json:"gate"`
	}
)

// The manager.
type (
	// State: an agent's lifecycle was published.
	State struct {
		Lifecycle string `json:"lifecycle"`
		Queued    int    `json:"queued,omitempty"`
		Error     string `json:"error,omitempty"`
	}
	// Row: a row of the timeline was added, or (Changed) became another.
	Row struct {
		Seq     int    `json:"seq"`
		Kind    string `json:"kind"`
		Name    string `json:"name,omitempty"`
		Text    string `json:"text,omitempty"`
		Status  string `json:"status,omitempty"`
		Note    string `json:"note,omitempty"` // user rows: queued, undelivered, withdrawn
		Item    string `json:"item,omitempty"`
		Turn    string `json:"turn,omitempty"`
		Changed bool   `json:"changed,omitempty"`
	}
	// Turn: the manager tells of a turn's start or end.
	Turn struct {
		ID     string           `json:"id"`
		Status string           `json:"status"` // started, completed, interrupted, failed
		Error  string           `json:"error,omitempty"`
		Usage  map[string]int64 `json:"usage,omitempty"`
	}
	// SendBegan: a step has handed a prompt to the manager.
	SendBegan struct {
		Send int    `json:"send"` // from 1, over the run
		Step int    `json:"step"`
		ID   string `json:"id,omitempty"`
		Text string `json:"text"`
	}
	// SendAnswered: the manager has told the sender what became of it.
	SendAnswered struct {
		Send  int    `json:"send"`
		Gives string `json:"gives,omitempty"` // started, steered, queued
		Turn  string `json:"turn,omitempty"`
		Error string `json:"error,omitempty"`
	}
	// CallBegan: a step has asked something else of the manager.
	CallBegan struct {
		Step int `json:"step"`
	}
	// CallAnswered: the manager has answered it.
	CallAnswered struct {
		Step  int    `json:"step"`
		Error string `json:"error,omitempty"`
	}
	// AgentCalled: the agent has called a tool of the manager's. ID is codex's
	// id of the call.
	AgentCalled struct {
		ID   string          `json:"id"`
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	}
	// AgentAnswered: the manager has answered it.
	AgentAnswered struct {
		ID     string          `json:"id"`
		Tool   string          `json:"tool"`
		Result json.RawMessage `json:"result,omitempty"`
		Error  string          `json:"error,omitempty"`
	}
	// Undelivered: an accepted text did not reach the provider's history. Resend:
	// it is sent again.
	Undelivered struct {
		ID     string `json:"id"`
		Text   string `json:"text"`
		Resend bool   `json:"resend,omitempty"`
	}
	// Permission: asked, or answered (Outcome: allowed, denied, canceled).
	Permission struct {
		Request string `json:"request"`
		Item    string `json:"item,omitempty"`
		Title   string `json:"title,omitempty"`
		Outcome string `json:"outcome,omitempty"`
	}
	// Notice: an error or warning that is no row.
	Notice struct {
		Level string `json:"level"`
		Text  string `json:"text"`
		Code  string `json:"code,omitempty"`
		Retry bool   `json:"retry,omitempty"`
	}
	// Trouble: a component broke its own rules; the run is an error.
	Trouble struct {
		Text string `json:"text"`
	}
)

func (StepBegan) body()     {}
func (StepFailed) body()    {}
func (Settled) body()       {}
func (Request) body()       {}
func (Held) body()          {}
func (Released) body()      {}
func (Sent) body()          {}
func (Gone) body()          {}
func (Ended) body()         {}
func (Refused) body()       {}
func (Breach) body()        {}
func (Started) body()       {}
func (ToCodex) body()       {}
func (FromCodex) body()     {}
func (Stderr) body()        {}
func (Exited) body()        {}
func (Rollout) body()       {}
func (Outside) body()       {}
func (WireActed) body()     {}
func (ToolHeld) body()      {}
func (ToolReleased) body()  {}
func (State) body()         {}
func (Row) body()           {}
func (Turn) body()          {}
func (SendBegan) body()     {}
func (SendAnswered) body()  {}
func (CallBegan) body()     {}
func (CallAnswered) body()  {}
func (AgentCalled) body()   {}
func (AgentAnswered) body() {}
func (Undelivered) body()   {}
func (Permission) body()    {}
func (Notice) body()        {}
func (Trouble) body()       {}

// Kind returns the name of a body's type, as it stands in traces.
func Kind(b Body) string {
	name := fmt.Sprintf("%T", b)
	return name[len("eventlog."):]
}

// MarshalJSON writes the event as one object of a trace.
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Seq   int    `json:"seq"`
		At    int64  `json:"at_us"`
		Step  int    `json:"step"`
		Agent string `json:"agent,omitempty"`
		Kind  string `json:"kind"`
		Body  Body   `json:"data"`
	}{e.Seq, e.At.Microseconds(), e.Step, e.Agent, Kind(e.Body), e.Body})
}
