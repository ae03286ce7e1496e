package mockprovider

import (
	"context"
	"fmt"
	"strings"
)

// state is what a Server remembers of the requests before. The Server's lock
// guards it.
type state struct {
	handshakes int   // of WebSockets, when the script has a say in them
	used       []int // by reply: requests answered, attempts not counted
	lines      map[lineKey]*line
	threads    map[string]map[string]int // agent -> thread -> ordinal
	contexts   map[[2]string]*growth     // (agent, thread) -> what the meter counts
	gates      map[string]*gate
	told       map[EventKind]int // breaches only
	prepared   prepared

	epoch context.Context // over when the Server starts anew or closes
	end   context.CancelCauseFunc
}

func newState(parent context.Context) *state {
	epoch, end := context.WithCancelCause(parent)
	return &state{
		lines: map[lineKey]*line{}, threads: map[string]map[string]int{},
		contexts: map[[2]string]*growth{}, gates: map[string]*gate{}, told: map[EventKind]int{}, epoch: epoch, end: end,
	}
}

// lineKey names the requests that are counted together.
type lineKey struct {
	agent, thread string
	class         Class
	path          string // of what is no request for a response
}

// line counts the requests of one agent, thread and class.
type line struct {
	n    int
	last *exchange
}

// exchange is a request being answered.
type exchange struct {
	*Exchange
	history []string // user texts, with those that a WebSocket has from before
	reply   *Reply   // the attempt that answers; nil: the default or a refusal
	failing bool     // the script did not mean to satisfy the client
	gone    bool     // the client left
	ended   bool

	respID   string       // of the response
	released chan release // capacity 1, made at a gate; what happened there
	frames   int          // sent; the player's own
}

// take numbers a request and finds the reply that answers it.
func (st *state) take(sc *Script, x *exchange, q *request) (rep *Reply, why string) {
	st.number(x)
	if x.Reply < 0 {
		return st.match(sc, x, q)
	}
	return sc.attempt(x)
}

// number counts a request: as the next of its line, or as one more attempt,
// which the reply of the first answers.
func (st *state) number(x *exchange) {
	key := lineKey{agent: x.Agent, thread: x.Thread, class: x.Class}
	if !AnyClass.answers(x.Class) && x.Class != Prewarm {
		key.path = x.Path
	}
	ln := st.lines[key]
	if ln == nil {
		ln = &line{}
		st.lines[key] = ln
	}
	prev := ln.last
	ln.last = x
	if !isRetry(prev, x) {
		ln.n++
		x.N, x.Try = ln.n, 1
		return
	}
	x.N, x.Try, x.Reply = ln.n, prev.Try+1, prev.Reply
}

// isRetry says that the client asks again for what it did not get. Bodies do
// not tell: a retry carries partial items, or a shorter history.
func isRetry(prev, x *exchange) bool {
	if prev == nil || prev.TurnID != x.TurnID {
		return false
	}
	if x.TurnID == "" {
		// Without a turn only the conversation tells one from the next.
		return (prev.failing || prev.gone) && !hasMore(x.history, prev.history)
	}
	// A turn asks for one thing at a time, so a request of it that is still
	// open was left, even if that did not reach us yet.
	return prev.failing || (prev.gone || !prev.ended) && !hasMore(x.history, prev.history)
}

// hasMore says that a has a text more often than b.
func hasMore(a, b []string) bool {
	left := map[string]int{}
	for _, t := range b {
		left[t]++
	}
	for _, t := range a {
		if left[t]--; left[t] < 0 {
			return true
		}
	}
	return false
}

func (st *state) match(sc *Script, x *exchange, q *request) (*Reply, string) {
	var near nearest
	for i := range sc.replies() {
		r := &sc.Replies[i]
		ms := r.misses(q, x.Class, x.N)
		if r.Times > 0 && st.used[i] >= r.Times {
			ms = append(ms, miss{"times", words("a use left"), words(fmt.Sprintf("%d of %d used", st.used[i], r.Times))})
		}
		if len(ms) == 0 {
			st.used[i]++
			x.Reply = i
			return sc.attempt(x)
		}
		near.offer(i, ms)
	}
	return nil, near.explain(x)
}

// nearest is the rule that missed by the fewest fields; of equals the first.
type nearest struct {
	reply int
	ms    []miss
}

func (n *nearest) offer(i int, ms []miss) {
	if n.ms == nil || weight(ms) < weight(n.ms) {
		n.reply, n.ms = i, ms
	}
}

// weight: a rule for another class is farther off than any of the class.
func weight(ms []miss) int {
	w := len(ms)
	if ms[0].field == "to" {
		w += 100
	}
	return w
}

func (n *nearest) explain(x *exchange) string {
	head := fmt.Sprintf("no reply for %s %d of agent %s (%s %s)", x.Class, x.N, x.Agent, x.Method, x.Path)
	if n.ms == nil {
		return head + ": the script has no replies"
	}
	var why []string
	for _, m := range n.ms {
		why = append(why, m.String())
	}
	return fmt.Sprintf("%s; nearest is reply[%d]: %s", head, n.reply, strings.Join(why, "; "))
}

func (s *Script) replies() []Reply {
	if s == nil {
		return nil
	}
	return s.Replies
}

// attempt is what this try gets.
func (s *Script) attempt(x *exchange) (*Reply, string) {
	if x.Reply >= len(s.replies()) {
		return nil, "the reply of the first try is gone: the script was changed"
	}
	r := &s.Replies[x.Reply]
	switch n := len(r.Attempts); {
	case n == 0:
		return r, ""
	case x.Try <= n:
		return &r.Attempts[x.Try-1], ""
	case r.Again:
		return &r.Attempts[n-1], ""
	default:
		return nil, fmt.Sprintf("attempt %d of %s %d of agent %s: reply[%d] lists %d; again = true repeats the last", x.Try, x.Class, x.N, x.Agent, x.Reply, n)
	}
}

func (st *state) threadOrdinal(agent, thread string) int {
	m := st.threads[agent]
	if m == nil {
		m = map[string]int{}
		st.threads[agent] = m
	}
	if m[thread] == 0 {
		m[thread] = len(m) + 1
	}
	return m[thread]
}
