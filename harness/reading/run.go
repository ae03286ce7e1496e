package reading

import (
	"encoding/json"
	"slices"

	"github.com/heldstream/heldstream/harness/eventlog"
)

// Traits are what differs between codex versions, transports and features where
// it decides about settling.
type Traits struct {
	// InstantInterrupt: a steer cuts a sampling whose headers have arrived.
	InstantInterrupt bool
	// ClosesHeld: the requests of an ended turn are closed by the client.
	ClosesHeld bool
	// Graceful: an interrupted task ends by itself within codex's 100 ms, so that
	// one that was dropped tells of a slow machine. Older versions drop all.
	Graceful bool
	// Impatient: codex leaves a stream that is silent for a time that the
	// scenario sets, so that none is held for good once its headers are out.
	Impatient bool
	// Tools: a started thread starts the manager's tools as well.
	Tools bool
	// Prewarms: a started thread opens a WebSocket and prewarms it.
	Prewarms bool
	// Program: the process is started for one turn and ends with it.
	Program bool
}

// Run is the reading of one run's log. It is not safe for concurrent use:
// attach Apply to the log and look at it under the log's lock.
type Run struct {
	Agents map[string]*Agent
	Order  []string // names, by first appearance

	// Work counts what components have taken in and not finished with.
	Work int

	Outside  []string // hosts asked for
	Refused  []eventlog.Refused
	Breaches []eventlog.Breach
	Troubles []string
	Failed   *eventlog.StepFailed // the step that could not do what it says
	Closing  bool                 // the last step is done: what follows is not the scenario's
	Spoilt   bool                 // codex dropped a task at its 100 ms after an interrupt
	Requests map[int]*Request     // by id
	Sends    []*Send
	Calls    []*Call
	// Gates count what the scenario holds besides the provider's answers:
	// messages between manager and codex, and commands of tools.
	Gates map[string]Gate
}

// Gate counts what is held at it now, and all that ever was.
type Gate struct{ Now, Ever int }

// Call is something else that a step asked of the manager.
type Call struct {
	Step   int
	Answer *eventlog.CallAnswered
}

// Agent is what the log says of one agent.
type Agent struct {
	Name     string
	Traits   Traits
	Alive    bool // its process runs
	Exit     *eventlog.Exited
	Threads  []*Thread
	Requests []*Request // in order of arrival
	Rows     []eventlog.Row
	States   []eventlog.State
	Turns    []eventlog.Turn // as the manager told them
	Notices  []eventlog.Notice
	Perms    []eventlog.Permission
	Called   map[string]int // call ids: which call of the model's that was
	Asked    map[string]int // what codex was asked, by method
	Lost     []eventlog.Undelivered
	Stderr   string
	Rollout  []json.RawMessage
	// FirstSend is how many states had been published when the first prompt
	// was sent; -1 before.
	FirstSend int

	version string
	calling map[string]bool  // calls of the manager's tools, by id, without an answer
	calls   map[string]*call // by JSON-RPC id, not answered yet
	asks    map[string]*ask  // codex's own requests, not resolved yet
	owed    debts
	yields  map[string]bool  // call ids of commands that the turn soon waits for no more
	turns   map[string]*Turn // by codex's id
	numbers map[string]int   // turns begun on each thread
}

// Send is one prompt that a step handed to the manager.
type Send struct {
	Agent string
	eventlog.SendBegan
	Answer *eventlog.SendAnswered
}

// New returns the reading of an empty log.
func New() *Run {
	return &Run{Agents: map[string]*Agent{}, Requests: map[int]*Request{}, Gates: map[string]Gate{}}
}

// Agent returns the reading of the named agent, made at first use.
func (r *Run) Agent(name string) *Agent {
	a := r.Agents[name]
	if a == nil {
		a = &Agent{
			Name: name, FirstSend: -1, calls: map[string]*call{}, calling: map[string]bool{}, asks: map[string]*ask{}, owed: debts{}, yields: map[string]bool{}, Called: map[string]int{}, Asked: map[string]int{},
			turns: map[string]*Turn{}, numbers: map[string]int{},
		}
		r.Agents[name] = a
		r.Order = append(r.Order, name)
	}
	return a
}

// Apply takes one event in.
func (r *Run) Apply(e eventlog.Event) {
	if e.Agent == "" {
		r.applyRun(e.Body)
		return
	}
	a := r.Agent(e.Agent)
	switch b := e.Body.(type) {
	case eventlog.Request, eventlog.Held, eventlog.Released, eventlog.Sent, eventlog.Gone, eventlog.Ended,
		eventlog.Refused, eventlog.Breach:
		r.applyProvider(a, b)
	case eventlog.Started, eventlog.ToCodex, eventlog.FromCodex, eventlog.Stderr, eventlog.Exited, eventlog.WireActed:
		r.applyWire(a, b)
	default:
		r.applyManager(a, b)
	}
}

func (r *Run) applyRun(b eventlog.Body) {
	switch b := b.(type) {
	case eventlog.Outside:
		r.Outside = append(r.Outside, b.Host)
	case eventlog.Trouble:
		r.Troubles = append(r.Troubles, b.Text)
	case eventlog.StepFailed:
		r.Failed = &b
	case eventlog.ToolHeld:
		r.gate(b.Gate, "held")
	case eventlog.ToolReleased:
		r.gate(b.Gate, "released")
	}
}

// gate counts at a gate that is not the provider's.
func (r *Run) gate(name, action string) {
	g := r.Gates[name]
	switch {
	case name == "":
		return
	case action == "held":
		g.Now, g.Ever = g.Now+1, g.Ever+1
	case action == "released":
		g.Now--
	}
	r.Gates[name] = g
}

func (r *Run) applyManager(a *Agent, b eventlog.Body) {
	switch b := b.(type) {
	case eventlog.State:
		if !r.Closing {
			a.States = append(a.States, b)
		}
	case eventlog.Row:
		if !r.cutShort() {
			a.row(b)
		}
	case eventlog.Turn:
		a.Turns = append(a.Turns, b)
	case eventlog.Notice:
		a.Notices = append(a.Notices, b)
	case eventlog.Permission:
		a.Perms = append(a.Perms, b)
	case eventlog.Undelivered:
		if !b.Resend {
			a.Lost = append(a.Lost, b)
		}
	case eventlog.SendBegan:
		r.Sends = append(r.Sends, &Send{Agent: a.Name, SendBegan: b})
		if a.FirstSend < 0 {
			a.FirstSend = len(a.States)
		}
	case eventlog.CallBegan:
		r.Calls = append(r.Calls, &Call{Step: b.Step})
	case eventlog.CallAnswered:
		if !r.cutShort() {
			r.answered(b)
		}
	case eventlog.AgentCalled:
		a.calling[b.ID] = true
	case eventlog.AgentAnswered:
		delete(a.calling, b.ID)
	case eventlog.Rollout:
		a.Rollout = b.Lines
	case eventlog.SendAnswered:
		if !r.cutShort() {
			r.Sends[b.Send-1].Answer = &b
		}
	case eventlog.Trouble:
		r.Troubles = append(r.Troubles, a.Name+": "+b.Text)
	}
}

// cutShort: a step has failed and the run is closing. What is told now comes of
// closing, and would only hide why the step failed.
func (r *Run) cutShort() bool { return r.Closing && r.Failed != nil }

// answered books an answer to the first call of its step that has none.
func (r *Run) answered(b eventlog.CallAnswered) {
	for _, c := range r.Calls {
		if c.Step == b.Step && c.Answer == nil {
			c.Answer = &b
			return
		}
	}
}

func (a *Agent) row(b eventlog.Row) {
	if !b.Changed {
		a.Rows = append(a.Rows, b)
		return
	}
	for i := range a.Rows {
		if a.Rows[i].Seq == b.Seq {
			a.Rows[i] = b
		}
	}
}

// Calling counts the calls of the manager's tools that wait for their answers.
func (a *Agent) Calling() int { return len(a.calling) }

// State returns the lifecycle last published, "" before the first.
func (a *Agent) State() eventlog.State {
	if len(a.States) == 0 {
		return eventlog.State{}
	}
	return a.States[len(a.States)-1]
}

// Compactions counts the rows of the timeline.
func (a *Agent) Compactions() (started, completed, aborted int) {
	for _, row := range a.Rows {
		if row.Kind != "compaction" {
			continue
		}
		switch row.Status {
		case "completed":
			completed++
		case "aborted":
			aborted++
		default:
			started++
		}
	}
	return started, completed, aborted
}

// OpenPermissions are the permission requests that are not resolved, in the order
// in which they were asked.
func (a *Agent) OpenPermissions() []eventlog.Permission {
	var open []eventlog.Permission
	for _, p := range a.Perms {
		if p.Outcome == "" {
			open = append(open, p)
			continue
		}
		open = slices.DeleteFunc(open, func(o eventlog.Permission) bool { return o.Request == p.Request })
	}
	return open
}
