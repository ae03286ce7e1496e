package mockprovider

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// Server is a fake Responses API. Its zero value works, and refuses every
// request. It is the http.Handler of the agent "main"; For gives those of
// other agents. All methods are safe for concurrent use; the fields are not
// changed once it serves.
type Server struct {
	// Script says what is answered; SetScript changes it.
	Script *Script
	// Observe, when set, is told of every happening, one at a time and in
	// order. The bytes of a Sent event go out after it returned. It must not
	// call Release, SetScript, Reset or Close.
	Observe func(Event)
	// Classify, when set and ok, decides the class of a request and says why,
	// in place of the signs that this package knows.
	Classify func(r *http.Request, body []byte) (class Class, why string, ok bool)
	// Sleep is the clock of delays; nil is real time. It ends with an error
	// when the context does.
	Sleep func(context.Context, time.Duration) error
	// Now is the clock of the journal; nil is the machine's.
	Now func() time.Time
	// Lenient does not hold clients to account: no Violation events.
	Lenient bool
	Limits  Limits

	once   sync.Once
	lim    Limits
	closed context.Context
	close  context.CancelCauseFunc
	wg     sync.WaitGroup

	journal *Journal

	// tell is held while something changes and is observed, so that events
	// come in the order of the changes; mu alone guards what is below it.
	tell    sync.Mutex
	mu      sync.Mutex
	script  *Script
	state   *state
	closing bool

	exchanges   int // over the Server's life, whatever starts anew: the journal has them all
	connections int // WebSockets accepted, likewise
}

var errClosed = errors.New("mockprovider: server closed")

func (s *Server) init() {
	s.once.Do(func() {
		s.lim = s.Limits.withDefaults()
		s.journal = newJournal(s.lim)
		s.closed, s.close = context.WithCancelCause(context.Background())
		s.adopt(s.Script)
	})
}

// Journal is what happened so far.
func (s *Server) Journal() *Journal {
	s.init()
	return s.journal
}

// adopt starts anew with a script, and ends what runs.
func (s *Server) adopt(sc *Script) {
	if s.state != nil {
		s.state.end(errClosed)
	}
	s.script, s.state = sc, newState(s.closed)
	s.state.used = make([]int, len(sc.replies()))
}

// update changes the state and tells of it.
func (s *Server) update(change func(*state) []Event) {
	s.init()
	s.tell.Lock()
	defer s.tell.Unlock()
	s.mu.Lock()
	events := change(s.state)
	s.mu.Unlock()
	for _, e := range events {
		s.observe(e)
	}
}

// emit tells of an event that changes nothing.
func (s *Server) emit(e Event) {
	s.tell.Lock()
	defer s.tell.Unlock()
	s.observe(e)
}

func (s *Server) observe(e Event) {
	if e.Kind == Unmatched || e.Kind == Violation {
		s.mu.Lock()
		s.state.told[e.Kind]++
		s.mu.Unlock()
	}
	s.journal.add(e, s.now())
	if s.Observe != nil {
		s.Observe(e)
	}
}

func (s *Server) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// ServeHTTP serves the agent "main".
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.serve("main", w, r) }

// For is the handler of an agent: each has a base URL of its own.
func (s *Server) For(agent string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(agent, w, r) })
}

func (s *Server) serve(agent string, w http.ResponseWriter, r *http.Request) {
	s.init()
	if !s.enter() {
		http.Error(w, errClosed.Error(), http.StatusServiceUnavailable)
		return
	}
	defer s.wg.Done()
	if isWebSocket(r) {
		s.serveWebSocket(agent, w, r)
		return
	}
	s.serveHTTP(agent, w, r)
}

func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closing {
		s.wg.Add(1)
	}
	return !s.closing
}

func (s *Server) serveHTTP(agent string, w http.ResponseWriter, r *http.Request) {
	body, bad := readBody(w, r, s.lim)
	q, bad2 := newRequest(agent, transportSSE, r, body)
	if bad == nil {
		bad = bad2
	}
	if v := q.top.stream; !v.Bool() {
		q.transport = transportJSON
	}
	ctx := r.Context()
	if bad != nil {
		ctx = context.WithoutCancel(ctx) // a body that came too late ended it
	}
	t := s.take(ctx, q, r, bad)
	to := newHTTPStream(w, t.x.reply, s.lim.Write)
	to.told = func() { s.cutting(t.x) }
	t.play(to)
	if to.abort {
		panic(http.ErrAbortHandler)
	}
}

// cutting tells of a cut before the client can see it.
func (s *Server) cutting(x *exchange) { s.emit(Event{Kind: Sent, Exchange: x.Exchange, What: "cut"}) }

// joined ends with its parent and with another context, by that one's cause.
func joined(ctx, other context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return ctx, func() { stop(); cancel(nil) }
}

// SetScript starts anew with another script: counters, ids and gates begin
// again, and streams that are open end as Reset ends them.
func (s *Server) SetScript(sc *Script) { s.restart(func(*Script) *Script { return sc }) }

// Reset starts anew with the same script. Open streams are cut, and WebSockets
// closed, as what they remember is of the time before. Exchanges and connections
// are counted on.
func (s *Server) Reset() { s.restart(func(sc *Script) *Script { return sc }) }

func (s *Server) restart(pick func(*Script) *Script) {
	s.update(func(*state) []Event {
		s.adopt(pick(s.script))
		return nil
	})
}

// Close cuts all streams, refuses what comes, and returns when no request is
// being served any more.
func (s *Server) Close() {
	s.init()
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.close(errClosed)
	s.wg.Wait()
}
