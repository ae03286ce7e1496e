package plan

import (
	"encoding/json"
	"time"
)

// Step is one thing that happens in a run.
type Step struct {
	Pos    Pos
	Index  int    // from 1, as reports number it
	Agent  string // "main" when the file does not say
	Gives  *Gives // what the answer must be; nil: anything but an error
	Action Action
}

// Gives is what a call must give its caller: a disposition, or an error that
// contains Error.
type Gives struct {
	What  string // started, steered, queued …; "" with Error
	Error string
}

// Action is what a step does: *Run, *Send, *Interrupt, *Compact, *Await,
// *Settle, *Release, *Approve, *Deny, *Answer, *Set, *Restart, *Kill, *Close, *Resume,
// *Fork, *Inject, *RPC, *Exec, *Write, *Edit, *Together, *Expire or *ExpectNow.
type Action interface {
	// Name is the step's key in the file.
	Name() string
}

// The actions.
type (
	// Run sends a prompt and waits for the end of its turn.
	Run struct {
		Text     string
		Images   []Content
		Attached []Attachment `tape:"omitempty"`
		Behavior string       // "": the manager's preset
		ID       string       // client message id; "": the runner's
		Ends     string       // completed, interrupted, failed
		Error    string       // contained in the turn's error
	}
	// Send sends a prompt and goes on once the manager has it.
	Send struct {
		Text     string
		Images   []Content
		Attached []Attachment `tape:"omitempty"`
		Behavior string
		ID       string
	}
	// Attachment goes along with a prompt: a text, or what codex knows by its
	// name and path.
	Attachment struct{ Kind, Name, Path, Text string }
	Interrupt  struct{}
	Compact    struct{}
	// Await waits until all that is set holds.
	Await struct {
		Held        string // gate that something is held at, now
		Reached     string // gate that something was ever held at
		Count       int    // of Held, Reached; at least 1
		State       string // idle, running, error
		Agent       string // "": any for gates, requests and compactions, else main
		Requests    map[string]int
		Compactions *Compactions
		Timeline    *Row
		Permission  string // pending
		Within      time.Duration
	}
	// Settle goes on once everything that can happen has happened.
	Settle struct{}
	// Release opens a gate for what is held there.
	Release struct {
		Gate  string
		Agent string // "": whoever is held
		Nth   int    // 0: all
		Open  bool   // nothing is held there any more
		With  string // failed:CODE, cut; "": goes on
	}
	// Approve allows what a permission request asks for.
	Approve struct{ Nth int } // 0: the only open one
	// Deny refuses it.
	Deny struct {
		Nth       int
		Message   string
		Interrupt bool
	}
	// Answer answers a question. Answers is nil for each first option.
	Answer struct {
		Nth     int
		Answers map[string][]string // by question id or header
	}
	// Set changes an agent's settings; empty ones stay.
	Set struct {
		Mode, Model, Thinking string
		Plan                  *bool // whether codex is in Plan mode
	}
	// Restart ends something and starts it again.
	Restart struct {
		What     string // manager, codex, both
		Config   map[string]any
		Features map[string]bool
	}
	// Kill ends the agent's codex with SIGKILL.
	Kill struct{}
	// Close ends the agent's session in order; the agent stays known.
	Close  struct{}
	Resume struct{}
	// Fork copies the agent's conversation to a new agent.
	Fork struct{ As string }
	// Inject puts items into codex's history.
	Inject struct{ Items []json.RawMessage }
	// RPC calls codex's app-server.
	RPC struct {
		Method string
		Params json.RawMessage // nil: none
		Result map[string]any  // gjson path -> value, "*": present
		Error  string          // contained in the error
	}
	// Exec runs a command in the workspace.
	Exec struct {
		Command []string
		Exit    int
	}
	// Write creates a file of the workspace.
	Write struct {
		File    string
		Content Content
	}
	// Edit changes one line of a file of the workspace, or of the agent's
	// rollout.
	Edit struct {
		File    string
		Rollout bool
		Line    int    // 0: found by Find
		Find    string // contained in the line
		Put     string // replaces Find, or the whole line when Find is empty
		Delete  bool   // the line
	}
	// Together issues steps in order, none waiting for another.
	Together struct{ Steps []Step }
	// Expire lets a guard run out now.
	Expire struct{ Timer string } // interrupt, start, close, wait
	// ExpectNow judges expectations here.
	ExpectNow struct{ Expect []Expectation }
)

func (*Run) Name() string       { return "run" }
func (*Send) Name() string      { return "send" }
func (*Interrupt) Name() string { return "interrupt" }
func (*Compact) Name() string   { return "compact" }
func (*Await) Name() string     { return "await" }
func (*Settle) Name() string    { return "settle" }
func (*Release) Name() string   { return "release" }
func (*Approve) Name() string   { return "approve" }
func (*Deny) Name() string      { return "deny" }
func (*Answer) Name() string    { return "answer" }
func (*Set) Name() string       { return "set" }
func (*Restart) Name() string   { return "restart" }
func (*Kill) Name() string      { return "kill" }
func (*Close) Name() string     { return "close" }
func (*Resume) Name() string    { return "resume" }
func (*Fork) Name() string      { return "fork" }
func (*Inject) Name() string    { return "inject" }
func (*RPC) Name() string       { return "rpc" }
func (*Exec) Name() string      { return "exec" }
func (*Write) Name() string     { return "write" }
func (*Edit) Name() string      { return "edit" }
func (*Together) Name() string  { return "together" }
func (*Expire) Name() string    { return "expire" }
func (*ExpectNow) Name() string { return "expect" }
