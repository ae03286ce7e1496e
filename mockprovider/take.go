package mockprovider

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// taken is a request with its answer, ready to be played.
type taken struct {
	s      *Server
	sc     *Script // of the time when it came
	q      *request
	client context.Context // over when the client left
	epoch  context.Context // over when the Server starts anew or closes
	x      *exchange
	asked  asked
	names  ids // before any was given
	a      answer
	steps  []step

	prepared *prepared
}

// begin makes the exchange of a request; nothing knows of it yet.
func (s *Server) begin(ctx context.Context, q *request) *taken {
	x := &exchange{Exchange: q.exchange()}
	x.history = x.UserTexts
	if q.past != nil {
		x.history = slices.Concat(q.past.texts, x.UserTexts)
	}
	return &taken{s: s, q: q, client: ctx, x: x}
}

// over says why the answer must end: nil while it need not.
func (t *taken) over() error {
	if err := context.Cause(t.client); err != nil {
		return err
	}
	return context.Cause(t.epoch)
}

// lasting is the context of what takes time: it ends when over does.
func (t *taken) lasting() (context.Context, func()) { return joined(t.client, t.epoch) }

// take classifies, numbers and matches a request, and tells of it.
func (s *Server) take(ctx context.Context, q *request, r *http.Request, bad *refusal) *taken {
	t := s.begin(ctx, q)
	s.update(func(st *state) []Event {
		s.admit(t)
		t.x.Class, t.x.Why = s.classify(q, r)
		if why := t.answer(st, bad); why != "" {
			return []Event{{Kind: Unmatched, Exchange: t.x.Exchange, Text: why}}
		}
		return t.arrived()
	})
	return t
}

func (t *taken) arrived() []Event {
	events := []Event{{Kind: Arrived, Exchange: t.x.Exchange}}
	if t.s.Lenient {
		return events
	}
	for _, breach := range account(t.q) {
		events = append(events, Event{Kind: Violation, Exchange: t.x.Exchange, What: "call_outputs", Text: breach})
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
func (t *taken) answer(st *state, bad *refusal) (why string) {
	q := t.q
	if bad == nil && !q.isWhole(t.x.Class) {
		bad = refuse(http.StatusBadRequest, "invalid_json", `the request has no JSON object for a body; send one such as {"model":"m","input":"hello"}`)
	}
	if bad != nil {
		t.refuse(bad)
		return bad.message
	}
	if q.refused == nil && t.s.tooLarge(q) {
		q.refused = refuse(http.StatusBadRequest, "context_length_exceeded", "Your input exceeds the context window of this model.")
	}
	if q.refused != nil {
		st.number(t.x)
		t.x.failing = true
		t.refuse(q.refused)
		return ""
	}
	return t.reply(st)
}

func (s *Server) tooLarge(q *request) bool {
	const bytesPerToken = 4
	size := len(q.top.input.Raw)
	if q.past != nil {
		size += q.past.size
	}
	return s.script != nil && s.script.Window > 0 && size > bytesPerToken*s.script.Window
}

func (t *taken) refuse(bad *refusal) {
	t.a = errorAnswer(bad.status, bad.code, bad.message)
	t.frame()
}

// frame brings the answer into the form of its transport.
func (t *taken) frame() {
	if t.q.transport == transportWebSocket {
		if t.a.plain {
			t.a.body = errorFrame(&t.a, t.q.lane)
		}
		withLane(t.q.lane, t.a.events)
	}
	t.steps = t.a.frames()
}

// reply finds the reply and lays out its steps.
func (t *taken) reply(st *state) (why string) {
	x := t.x
	x.reply, why = st.take(t.sc, x, t.q)
	if x.reply == nil {
		x.reply = t.sc.standing(x.Class, t.q)
	}
	if x.reply == nil {
		return t.otherwise(why)
	}
	t.ask(st)
	fault := t.build()
	x.failing = x.failing || !isRealtime(t.q.path) && t.a.failing() || x.reply.Cut != nil
	if fault != nil {
		x.reply = nil
		return t.unscripted(fmt.Sprintf("reply[%d].%s: %s", x.Reply, fault.Path, fault.Message))
	}
	return ""
}

// build makes answer and steps from the reply. It can do so again.
func (t *taken) build() *Fault {
	asked, names := t.asked, t.names
	asked.ids = &names
	if t.x.ofItsOwn() {
		t.a = t.x.reply.answer(asked)
	} else {
		t.a = t.prepared.answer(t.x.reply, asked)
	}
	t.frame()
	steps, fault := t.x.reply.schedule(t.x.Class, t.steps)
	t.steps = steps
	return fault
}

// rest makes the last n steps again: what waits at a gate, maybe among
// thousands, does not keep them.
func (t *taken) rest(n int) []step {
	_ = t.build() // went well before
	return t.steps[len(t.steps)-n:]
}

func (t *taken) shrink() { t.a.events, t.steps = nil, nil }

// ask fixes what the answer depends on beside the reply.
func (t *taken) ask(st *state) {
	x := t.x
	t.names = newIDs(st.threadOrdinal(x.Agent, x.Thread), x.Class, x.N, x.Try)
	x.respID = or(x.reply.ID, t.names.response())
	t.asked = asked{
		class: x.Class, respID: x.respID, model: x.Model, items: t.q.items,
		usage: st.usage(t.sc, x), stream: t.q.transport != transportJSON, inBand: t.q.transport == transportWebSocket,
		expand: t.expand,
	}
}

func (t *taken) expand(name string) (string, bool) {
	if name == "n" {
		return strconv.Itoa(t.x.N), true
	}
	if t.sc.Expand != nil {
		return t.sc.Expand(t.x.Agent, name)
	}
	return "", false
}

// play plays the answer and returns when it is over.
func (t *taken) play(to transport) {
	t.q.shrink()
	p := &player{s: t.s, x: t.x, t: t, to: to}
	p.play(t.steps)
}

// admit gives an exchange its number; the lock is held.
func (s *Server) admit(t *taken) {
	t.sc, t.epoch, t.prepared = s.script, s.state.epoch, &s.state.prepared
	s.exchanges++
	t.x.ID = s.exchanges
}

// answered marks an exchange whose client has all it waits for with the next
// write, unless a gate follows. The client's next request may be here before
// finish, and must not count as another try of this one.
func (s *Server) answered(x *exchange, rest []step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.ended = !slices.ContainsFunc(rest, func(next step) bool { return next.kind == stepHold })
}

// finish tells of the end of an exchange.
func (s *Server) finish(x *exchange, e Event) {
	s.update(func(st *state) []Event {
		st.leave(x)
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
