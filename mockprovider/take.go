package mockprovider

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// taken is a request with its answer, ready to be played.
type taken struct {
	s      *Server
	ctx    context.Context
	cancel func()
	x      *exchange
	a      answer
	steps  []step
}

// begin makes the exchange of a request; nothing knows of it yet.
func (s *Server) begin(ctx context.Context, q *request) *taken {
	ctx, cancel := context.WithCancelCause(ctx)
	x := &exchange{Exchange: q.exchange(), released: make(chan release, 1), cancel: func() { cancel(errClosed) }}
	x.history = x.UserTexts
	if q.past != nil {
		x.history = slices.Concat(q.past.texts, x.UserTexts)
	}
	return &taken{s: s, ctx: ctx, cancel: func() { cancel(nil) }, x: x}
}

// take classifies, numbers and matches a request, and tells of it.
func (s *Server) take(ctx context.Context, q *request, r *http.Request, bad *refusal) *taken {
	t := s.begin(ctx, q)
	s.update(func(st *state) []Event {
		s.admit(t.x)
		t.x.Class, t.x.Why = s.classify(q, r)
		if why := t.answer(st, q, bad); why != "" {
			return []Event{{Kind: Unmatched, Exchange: t.x.Exchange, Text: why}}
		}
		return t.arrived(q)
	})
	return t
}

func (t *taken) arrived(q *request) []Event {
	events := []Event{{Kind: Arrived, Exchange: t.x.Exchange}}
	if t.s.Lenient {
		return events
	}
	for _, breach := range account(q) {
		events = append(events, Event{Kind: Violation, Exchange: t.x.Exchange, Text: breach})
	}
	return events
}

func (s *Server) classify(q *request, r *http.Request) (Class, string) {
	if s.Classify != nil {
		if c, why, ok := s.Classify(r, q.body); ok {
			return c, why
		}
	}
	prompt := ""
	if s.script != nil {
		prompt = s.script.CompactPrompt
	}
	return classify(q, prompt)
}

// answer decides what the request gets; why is set when it is refused.
func (t *taken) answer(st *state, q *request, bad *refusal) (why string) {
	if bad != nil {
		t.refuse(q, bad)
		return bad.message
	}
	if q.refused == nil && t.s.tooLarge(q) {
		q.refused = refuse(http.StatusBadRequest, "context_length_exceeded", "Your input exceeds the context window of this model.")
	}
	if q.refused != nil {
		st.number(t.x)
		t.x.failing = true
		t.refuse(q, q.refused)
		return ""
	}
	return t.reply(st, q)
}

func (s *Server) tooLarge(q *request) bool {
	const bytesPerToken = 4
	return s.script != nil && s.script.Window > 0 && len(q.top["input"].Raw) > bytesPerToken*s.script.Window
}

func (t *taken) refuse(q *request, bad *refusal) {
	t.a = errorAnswer(bad.status, bad.code, bad.message)
	t.frame(q)
}

// frame brings the answer into the form of its transport.
func (t *taken) frame(q *request) {
	if q.transport == transportWebSocket {
		if t.a.plain {
			t.a.body = errorFrame(&t.a)
		}
		withLane(q.lane, t.a.events)
	}
	t.steps = t.a.frames()
}

// reply finds the reply and lays out its steps.
func (t *taken) reply(st *state, q *request) (why string) {
	x := t.x
	x.reply, why = st.take(t.s.script, x, q)
	if x.reply == nil {
		x.reply = t.s.script.standing(x.Class, q)
	}
	if x.reply == nil {
		return t.otherwise(q, why)
	}
	t.a = x.reply.answer(t.asked(st, q))
	t.frame(q)
	x.failing = x.failing || !isRealtime(q.path) && t.a.failing() || x.reply.Cut != nil
	steps, fault := x.reply.schedule(x.Class, t.steps)
	if fault != nil {
		x.reply = nil
		return t.unscripted(q, fmt.Sprintf("reply[%d].%s: %s", x.Reply, fault.Path, fault.Message))
	}
	t.steps = steps
	return ""
}

// standing is the reply to what needs none in the script.
func (s *Script) standing(class Class, q *request) *Reply {
	switch {
	case s == nil:
		return nil
	case class == Prewarm:
		return &Reply{}
	case s.Realtime != nil && q.transport == transportWebSocket && isRealtime(q.path):
		r := &Reply{Events: []json.RawMessage{sessionUpdated(q)}}
		if s.Realtime.Hold != "" {
			r.Holds = []Hold{{Gate: s.Realtime.Hold, Before: "session.updated"}}
		}
		return r
	}
	return nil
}

// otherwise answers what has a fixed body, and refuses the rest.
func (t *taken) otherwise(q *request, why string) string {
	switch {
	case t.s.script == nil:
		return t.unscripted(q, why)
	case t.x.Class == Models:
		t.a = modelsAnswer(t.s.script.Models, q.path)
	case t.x.Class == Side:
		t.a, _ = sideAnswer(q.method, q.path)
	}
	if t.a.status == 0 {
		return t.unscripted(q, why)
	}
	t.frame(q)
	return ""
}

func (t *taken) unscripted(q *request, why string) string {
	t.x.failing = true
	t.a = errorAnswer(http.StatusBadRequest, "unscripted_request", why)
	t.frame(q)
	return why
}

func (t *taken) asked(st *state, q *request) asked {
	x := t.x
	names := &ids{thread: st.threadOrdinal(x.Agent, x.Thread), class: x.Class, n: x.N, try: x.Try}
	x.respID = names.next("resp")
	if x.reply != nil {
		x.respID = or(x.reply.ID, x.respID)
	}
	a := asked{
		class: x.Class, ids: names, respID: x.respID, model: x.Model, items: q.items,
		usage: st.usage(t.s.script, x), stream: q.transport != transportJSON, inBand: q.transport == transportWebSocket,
	}
	a.expand = func(name string) (string, bool) {
		if name == "n" {
			return strconv.Itoa(x.N), true
		}
		if f := t.s.script.Expand; f != nil {
			return f(x.Agent, name)
		}
		return "", false
	}
	return a
}

// play plays the answer and returns when it is over.
func (t *taken) play(to transport) {
	p := &player{s: t.s, x: t.x, t: to, a: &t.a}
	p.play(t.ctx, t.steps)
}

// admit gives an exchange its number; the lock is held.
func (s *Server) admit(x *exchange) {
	s.state.exchanges++
	x.ID = s.state.exchanges
	s.state.open[x] = true
	if s.closing {
		x.cancel()
	}
}

// finish tells of the end of an exchange.
func (s *Server) finish(x *exchange, e Event) {
	s.update(func(st *state) []Event {
		st.leave(x)
		delete(st.open, x)
		x.ended, x.gone = true, e.Kind == Gone
		e.Exchange, e.Frames = x.Exchange, x.frames
		return []Event{e}
	})
}

func (s *Server) isHeld(x *exchange) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.holds(x)
}
