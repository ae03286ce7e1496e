package agentcore

// Behavior is how a send meets a turn that is running.
type Behavior string

// The behaviors. The zero value stands for the manager's default.
const (
	// Replace interrupts the running turn and starts another.
	Replace Behavior = "replace"
	// Steer adds the text to the running turn.
	Steer Behavior = "steer"
	// Queue holds the text until nothing runs any more.
	Queue Behavior = "queue"
)

// Fallback is what a steer becomes when the session refuses it.
type Fallback string

// The fallbacks. The zero value is FallBackReplace.
const (
	FallBackReplace Fallback = "replace"
	FallBackError   Fallback = "error"
	FallBackHold    Fallback = "hold"
)

// Lost is what follows when the provider dropped a text that it had accepted.
// The sender is told in any case.
type Lost string

// The answers to a loss. The zero value is Report.
const (
	Report Lost = "report"
	// Resend sends the text again at the head of the next turn: as often as it is
	// lost to a text that replaces its turn, and otherwise once.
	Resend Lost = "resend"
)

// Policy says how a send meets what the agent is doing.
type Policy struct {
	Behavior Behavior
	// WaitForStart lets a steer wait for a turn that is still starting. Without
	// it such a turn counts as one that cannot be steered and is replaced.
	WaitForStart bool
	// OnUnavailable is what a steer becomes when there is no turn to steer or
	// the session cannot steer; OnNotSteerable when the turn is of a kind that
	// takes no input, like a compaction.
	OnUnavailable, OnNotSteerable Fallback
	OnLost                        Lost
}

var presets = map[string]Policy{
	// What upstream's agents did to each other by default.
	"replace": {Behavior: Replace},
	// Steering as it was before it waited for starting turns.
	"steer-no-wait": {Behavior: Steer},
	// A compaction is never killed for a message: the message waits.
	"steer": {Behavior: Steer, WaitForStart: true, OnNotSteerable: FallBackHold},
	"queue": {Behavior: Queue},
}

// PresetNamed is the policy with this name: replace, steer-no-wait, steer or
// queue.
func PresetNamed(name string) (Policy, bool) {
	p, ok := presets[name]
	return p, ok
}

// fallback is what this policy makes of a refusal.
func (p Policy) fallback(u *Unavailable) Fallback {
	f := p.OnUnavailable
	if u.Reason == "not_steerable" {
		f = p.OnNotSteerable
	}
	if f == "" {
		return FallBackReplace
	}
	return f
}
