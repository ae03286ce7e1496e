package codex

// WireRule says what becomes of a message between the client and codex. The
// first rule that matches a message and has uses left applies to it; exactly
// one of the actions is set.
type WireRule struct {
	Agent string // "": each
	// Of is a method ("*": any); a reply has the method of its request. The
	// end of the process is a notification of the method "exit", and "*" does
	// not mean it.
	Of    string
	What  string // request, reply, notification; "": any
	Nth   int    // the one so numbered among an agent's matching messages; 0: each
	Times int    // messages that it applies to; 0: no end

	// Hold keeps the message at a gate. Later ones of the same direction pass
	// it, unless KeepOrder is set.
	Hold      string
	KeepOrder bool
	// Drop loses it.
	Drop bool
	// Repeat passes it and so many copies. With RepeatHold the copies wait at
	// that gate.
	Repeat     int
	RepeatHold string
	// Error answers a request, which goes no further, or takes the place of a
	// reply.
	Error *WireError
	// After keeps it until a later message of this method has passed in the
	// same direction.
	After string
	// Join keeps it and all that follows until a message of this method comes;
	// then all go out in one write.
	Join string
	// Exit ends codex right after it.
	Exit bool
}

// WireError is the error of an answer that codex never gave.
type WireError struct {
	Code    int
	Message string
}

// WireEventKind says what a rule did.
type WireEventKind string

// The kinds of wire events.
const (
	WireHeld     WireEventKind = "held" // it waits: at a gate, for another message, or to be joined
	WireReleased WireEventKind = "released"
	WireDropped  WireEventKind = "dropped" // by a rule, or with its process
	WireRepeated WireEventKind = "repeated"
	WireFailed   WireEventKind = "failed" // answered with an error
	WireExited   WireEventKind = "exited"
)

// WireEvent is something that a rule did to a message.
type WireEvent struct {
	Kind    WireEventKind
	Agent   string
	Rule    int    // index; -1: the message was only behind another
	Gate    string // Held, Released: "" without a gate
	Method  string
	What    string // request, reply, notification
	ToCodex bool
	Line    []byte
}

// ruleFor finds the rule that applies to a message, and counts its use.
func (w *Wire) ruleFor(agent string, p parcel) int {
	if w.lifted {
		return -1
	}
	if w.matched == nil {
		w.matched, w.applied = map[ruleUse]int{}, map[ruleUse]int{}
	}
	for i, r := range w.Rules {
		if !r.matches(agent, p) {
			continue
		}
		use := ruleUse{i, agent}
		w.matched[use]++
		if r.Nth != 0 && r.Nth != w.matched[use] || r.Times != 0 && w.applied[use] >= r.Times {
			continue
		}
		w.applied[use]++
		return i
	}
	return -1
}

func (r WireRule) matches(agent string, p parcel) bool {
	return (r.Agent == "" || r.Agent == agent) &&
		(r.What == "" || r.What == p.what) &&
		(r.Of == p.method || r.Of == "*" && p.exit == nil)
}
