package mockprovider

import (
	"context"
	"net/http"
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

// take classifies, numbers and matches a request, and tells of it.
func (s *Server) take(ctx context.Context, q *request, r *http.Request, bad *refusal) *taken {
	ctx, cancel := context.WithCancelCause(ctx)
	t := &taken{s: s, ctx: ctx, cancel: func() { cancel(nil) }}
	t.x = &exchange{Exchange: q.exchange(), released: make(chan release, 1), cancel: func() { cancel(errClosed) }}
	t.x.history = t.x.UserTexts
	s.update(func(st *state) []Event {
		t.x.Class, t.x.Why = s.classify(q, r)
		st.open[t.x] = true
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
		st.exchanges++
		t.x.ID = st.exchanges
		t.refuse(bad)
		return bad.message
	}
	if t.s.tooLarge(q) {
		bad = refuse(http.StatusBadRequest, "context_length_exceeded", "Your input exceeds the context window of this model.")
	}
	if bad == nil {
		return t.reply(st, q)
	}
	st.number(t.x)
	t.x.failing = true
	t.refuse(bad)
	return ""
}

func (s *Server) tooLarge(q *request) bool {
	const bytesPerToken = 4
	return s.script != nil && s.script.Window > 0 && len(q.root.Get("input").Raw) > bytesPerToken*s.script.Window
}

func (t *taken) refuse(bad *refusal) {
	t.a = errorAnswer(bad.status, bad.code, bad.message)
	t.steps = t.a.frames()
}

// reply finds the reply and lays out its steps.
func (t *taken) reply(st *state, q *request) (why string) {
	x, sc := t.x, t.s.script
	x.reply, why = st.take(sc, x, q)
	if x.reply == nil {
		return t.otherwise(st, q, why)
	}
	t.a = x.reply.answer(t.asked(st, q))
	x.failing = x.failing || t.a.failing() || x.reply.Cut != nil
	steps, fault := x.reply.schedule(x.Class, t.a.frames())
	if fault != nil {
		why = "reply[" + strconv.Itoa(x.Reply) + "]." + fault.Path + ": " + fault.Message
		t.refuse(refuse(http.StatusBadRequest, "faulty_script", "%s", why))
		x.reply = nil
		return why
	}
	t.steps = steps
	return ""
}

// otherwise answers what needs no reply, and refuses the rest.
func (t *taken) otherwise(st *state, q *request, why string) string {
	x, sc := t.x, t.s.script
	if sc != nil {
		switch x.Class {
		case Prewarm:
			t.a = (&Reply{}).answer(t.asked(st, q))
		case Models:
			t.a = modelsAnswer(sc.Models, q.path)
		case Side:
			t.a, _ = sideAnswer(q.method, q.path)
		}
	}
	if t.a.status != 0 {
		t.steps = t.a.frames()
		return ""
	}
	x.failing = true
	t.refuse(refuse(http.StatusBadRequest, "unscripted_request", "%s", why))
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
		usage: st.usage(t.s.script, x), stream: q.transport != transportJSON,
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
