package codex

import (
	"bytes"
	"slices"

	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// lane is one direction between the client and one process. It is touched
// only under the Wire's lock.
type lane struct {
	proc     *wireProcess
	inbound  bool // from codex to the client
	requests map[string]string
	stays    []*stay // what waits, oldest first
}

// stay is a message that waits, with those that may not pass it.
type stay struct {
	lane   *lane
	rule   int
	parcel parcel
	gate   string
	after  string // a method that it waits for to pass
	join   string // a method that ends the joining
	blocks bool   // later messages queue behind it
	behind []parcel
}

// arrive takes a message that comes down the lane.
func (l *lane) arrive(p parcel) {
	if i := slices.IndexFunc(l.stays, func(s *stay) bool { return s.blocks }); i >= 0 {
		s := l.stays[i]
		s.behind = append(s.behind, p)
		if s.join != "" && (p.method == s.join || p.exit != nil) {
			l.release(s)
		}
		return
	}
	rule := l.proc.wire.ruleFor(l.proc.agent, p)
	if rule < 0 {
		l.pass(p)
		return
	}
	l.apply(rule, p)
}

func (l *lane) apply(i int, p parcel) {
	w := l.proc.wire
	switch r := w.Rules[i]; {
	case r.Hold != "" && !w.open[r.Hold]:
		l.stay(&stay{rule: i, parcel: p, gate: r.Hold, blocks: r.KeepOrder})
	case r.After != "":
		l.stay(&stay{rule: i, parcel: p, after: r.After})
	case r.Join != "":
		l.stay(&stay{rule: i, parcel: p, join: r.Join, blocks: true})
	case r.Drop:
		l.tell(WireDropped, i, "", p)
	case r.Repeat > 0:
		l.repeat(i, r, p)
	case r.Error != nil:
		l.fail(i, *r.Error, p)
	case r.Exit:
		l.pass(p)
		l.tell(WireExited, i, "", p)
		l.proc.ended = true
		w.later(l.proc.end)
	default:
		l.pass(p)
	}
}

func (l *lane) stay(s *stay) {
	s.lane = l
	l.stays = append(l.stays, s)
	l.tell(WireHeld, s.rule, s.gate, s.parcel)
	l.proc.wire.pause(l.proc.agent, +1)
}

// release lets a message go on, and then what queued behind it, each as if it
// had come only now.
func (l *lane) release(s *stay) {
	l.remove(s)
	l.tell(WireReleased, s.rule, s.gate, s.parcel)
	if s.join != "" {
		l.passTogether(append([]parcel{s.parcel}, s.behind...))
		return
	}
	l.pass(s.parcel)
	for _, p := range s.behind {
		l.arrive(p)
	}
}

func (l *lane) remove(s *stay) {
	l.stays = slices.DeleteFunc(l.stays, func(o *stay) bool { return o == s })
	l.proc.wire.pause(l.proc.agent, -1)
}

// drop loses all that waits.
func (l *lane) drop() {
	for len(l.stays) > 0 {
		s := l.stays[0]
		l.remove(s)
		for _, p := range append([]parcel{s.parcel}, s.behind...) {
			l.tell(WireDropped, s.rule, s.gate, p)
		}
	}
}

// lift loses what waits, but for the exit.
func (l *lane) lift() {
	for _, s := range slices.Clone(l.stays) {
		l.remove(s)
		for _, p := range s.behind {
			if p.exit != nil {
				l.pass(p)
			}
		}
	}
}

func (l *lane) repeat(i int, r WireRule, p parcel) {
	l.pass(p)
	for range r.Repeat {
		if r.RepeatHold != "" && !l.proc.wire.open[r.RepeatHold] {
			l.stay(&stay{rule: i, parcel: p, gate: r.RepeatHold})
			continue
		}
		l.tell(WireRepeated, i, "", p)
		l.pass(p)
	}
}

// fail answers a request in place of the one it goes to, or puts an error in
// the place of a reply. A notification has no answer: it is lost.
func (l *lane) fail(i int, e WireError, p parcel) {
	l.tell(WireFailed, i, "", p)
	answer := parcel{method: p.method, what: "reply", id: p.id, line: jsonrpc.Message{
		ID: p.id, Error: &jsonrpc.Error{Code: e.Code, Message: e.Message},
	}.Line()}
	switch p.what {
	case "reply":
		l.pass(answer)
	case "request":
		l.other().arrive(answer)
	}
}

func (l *lane) other() *lane {
	if l.inbound {
		return &l.proc.toCodex
	}
	return &l.proc.toClient
}

// pass delivers a message, and then what waited for it.
func (l *lane) pass(p parcel) { l.passTogether([]parcel{p}) }

func (l *lane) passTogether(ps []parcel) {
	l.deliver(ps)
	for _, p := range ps {
		for _, s := range slices.Clone(l.stays) {
			if s.after != "" && s.after == p.method {
				l.release(s)
			}
		}
	}
}

func (l *lane) deliver(ps []parcel) {
	if l.inbound {
		for _, p := range ps {
			l.deliverInbound(p)
		}
		return
	}
	lines := make([][]byte, len(ps))
	for i, p := range ps {
		lines[i] = p.line
	}
	joined := bytes.Join(lines, []byte("\n"))
	if l.proc.inner == nil { // the answer of a rule to what codex asked before its start was through
		l.proc.early = append(l.proc.early, joined)
		return
	}
	l.proc.wire.later(func() { l.proc.inner.Write(joined) })
}

func (l *lane) deliverInbound(p parcel) {
	if p.exit == nil {
		l.proc.wire.later(func() { l.proc.callbacks.Line(p.line) })
		return
	}
	l.drop() // nothing follows an exit
	l.proc.wire.forget(l.proc)
	l.proc.wire.later(func() { l.proc.callbacks.Exit(*p.exit) })
}

func (l *lane) tell(kind WireEventKind, rule int, gate string, p parcel) {
	if f := l.proc.wire.Observe; f != nil {
		e := WireEvent{
			Kind: kind, Agent: l.proc.agent, Rule: rule, Gate: gate,
			Method: p.method, What: p.what, ToCodex: !l.inbound, Line: p.line,
		}
		l.proc.wire.later(func() { f(e) })
	}
}
