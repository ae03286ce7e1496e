package agentcore

import (
	"time"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// ReqID names a request until it is answered; 0 is nobody.
type ReqID int64

// Input is what a Machine reacts to: Asked, Happened, Expired, Stored or
// Forgotten.
type Input interface{ input() }

// The inputs of a Machine.
type (
	// Asked: a caller wants something. Fresh is a string that was never used
	// before; it becomes the epoch when one is needed.
	Asked struct {
		Req     ReqID
		Request Request
		Fresh   string
	}
	// Happened: the session with this number says something.
	Happened struct {
		Session int
		Event   Event
	}
	// Expired: the timer ran out. Gen is that of its StartTimer.
	Expired struct {
		Timer string
		Gen   int
	}
	// Stored: an Append or Save with a token is done, or one without has
	// failed.
	Stored struct {
		Token int
		Err   error
	}
	// Forgotten: the caller of a WaitRequest waits no more.
	Forgotten struct{ Req ReqID }
)

func (Asked) input()     {}
func (Happened) input()  {}
func (Expired) input()   {}
func (Stored) input()    {}
func (Forgotten) input() {}

// Effect is what a Machine wants done: OpenSession, CallSession, StartTimer,
// StopTimer, Append, Save, Publish, Reply, Tell, Alert, Archived, Again or
// Ended.
type Effect interface{ effect() }

// The effects of a Machine, to be carried out in order.
type (
	// OpenSession: open session number Session; its events come as Happened.
	OpenSession struct {
		Session int
		Request OpenRequest
	}
	CallSession struct {
		Session int
		Call    Call
	}
	// StartTimer starts the agent's timer of this name, instead of one that
	// may be running.
	StartTimer struct {
		Timer string
		Gen   int
		After time.Duration
	}
	StopTimer struct{ Timer string }
	// Append makes entries of the timeline durable; Stored answers when Token
	// is not 0, and after a failure.
	Append struct {
		Token   int
		Entries []timeline.Entry
	}
	// Save makes the record durable, and is answered like Append. Of several
	// that wait only the last need be written.
	Save struct {
		Token  int
		Record Record
	}
	Publish struct{ Update Update }
	// Reply ends a request.
	Reply struct {
		Req    ReqID
		Result any
		Err    error
	}
	// Tell gives the sender of an accepted text its fate.
	Tell struct {
		Req  ReqID
		Fate Fate
	}
	// Alert calls for somebody's attention.
	Alert struct {
		Agent     string
		Attention Attention
	}
	// Archived: the agent's children are to be archived as well.
	Archived struct{ Agent string }
	// Ended: the machine is done; no input has an effect any more.
	Ended struct{}
)

func (OpenSession) effect() {}
func (CallSession) effect() {}
func (StartTimer) effect()  {}
func (StopTimer) effect()   {}
func (Append) effect()      {}
func (Save) effect()        {}
func (Publish) effect()     {}
func (Reply) effect()       {}
func (Tell) effect()        {}
func (Alert) effect()       {}
func (Archived) effect()    {}
func (Ended) effect()       {}
