package mockprovider

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/tidwall/gjson"

	"github.com/heldstream/heldstream/mockprovider/responses"
)

// transport puts the frames of one answer on a wire. A method that returns an
// error ends the answer; errCut says that the script wanted it so.
type transport interface {
	// shows says whether the frame exists on this wire: a WebSocket has no
	// headers, and no end, of its own.
	shows(kind stepKind) bool
	headers(status int, headers map[string]string) error
	event(kind string, data []byte) error
	body(data []byte) error
	comment() error
	end() error
	flush() error
	cut(how string) error
}

var errCut = errors.New("cut by the script")

// player plays one answer.
type player struct {
	s  *Server
	x  *exchange
	t  *taken
	to transport

	terminal bool // the event that ends a response was sent
}

// play carries out the steps and reports the end. Nothing is written before
// its event was observed.
func (p *player) play(steps []step) {
	for len(steps) > 0 {
		rest, err := p.do(steps)
		if err != nil {
			p.s.finish(p.x, p.verdict(err))
			return
		}
		steps = rest
	}
	p.s.finish(p.x, Event{Kind: Ended})
}

// verdict tells what an error means: a cut, the end of the Server, or a
// client that left. One that leaves after the response was complete left
// nothing unfinished.
func (p *player) verdict(err error) Event {
	switch {
	case errors.Is(err, errCut):
		return Event{Kind: Ended, Text: "cut"}
	case errors.Is(p.t.over(), errClosed):
		_ = p.to.cut("close") // there is no other end to tell of
		return Event{Kind: Ended, Text: "closed"}
	case p.terminal && !p.waits():
		return Event{Kind: Ended}
	}
	return Event{Kind: Gone}
}

func (p *player) waits() bool { return p.s.isHeld(p.x) }

// do does the first step and returns those that follow.
func (p *player) do(steps []step) ([]step, error) {
	s, rest := steps[0], steps[1:]
	if s.isFrame() {
		return rest, p.frame(s, rest)
	}
	if s.kind == stepComment {
		return rest, p.to.comment()
	}
	if err := p.to.flush(); err != nil {
		return nil, err
	}
	switch s.kind {
	case stepWait:
		ctx, stop := p.t.lasting()
		defer stop()
		return rest, p.s.sleep(ctx, s.wait)
	case stepCut:
		return nil, p.to.cut(s.name)
	case stepForever:
		_, err := p.t.await(nil)
		return nil, err
	}
	return p.hold(s.name, nextFrame(rest), len(rest))
}

// hold waits at a gate and returns what follows: the steps that are left, or
// what the release put in their place.
func (p *player) hold(gate, next string, left int) ([]step, error) {
	p.t.shrink()
	r, err := p.s.hold(p.t, gate, next)
	if err != nil {
		return nil, err
	}
	if code, ok := r.failure(); ok {
		return p.failed(code, left), nil
	}
	if r.with == "cut" {
		return nil, p.to.cut("close")
	}
	return p.t.rest(left), nil
}

// failed are the steps that end the answer with an error, in the form that the
// rest of it would have had; left steps of the reply were still to come.
func (p *player) failed(code string, left int) []step {
	const why = "released with a failure"
	t, headed := p.t, p.x.frames > 0
	_ = t.build() // went well before
	w := responses.NewWriter(p.x.respID, p.x.Model)
	w.Number(nextNumber(t.steps[:len(t.steps)-left]))
	w.Fail(code, why)
	switch {
	case !t.a.plain:
		t.a.events = w.Events
	case !headed:
		t.a = errorAnswer(failureStatus(code), code, why)
	case p.x.Class == CompactionV1 || t.a.status >= http.StatusBadRequest:
		t.a.body = responses.ErrorBody(errorKind(t.a.status), code, why)
	default:
		t.a.body, _ = json.Marshal(w.Response)
	}
	t.frame()
	if headed {
		return t.steps[1:]
	}
	return t.steps
}

// nextNumber is the sequence_number that follows those of the steps.
func nextNumber(played []step) int {
	for i := len(played) - 1; i >= 0; i-- {
		if n := gjson.GetBytes(played[i].data, "sequence_number"); played[i].kind == stepEvent && n.Exists() {
			return int(n.Int()) + 1
		}
	}
	return 0
}

// failureStatus is the status of an answer whose failure comes before its
// headers.
func failureStatus(code string) int {
	switch code {
	case "server_error":
		return http.StatusInternalServerError
	case "rate_limit_exceeded":
		return http.StatusTooManyRequests
	}
	return http.StatusBadRequest
}

func nextFrame(steps []step) string {
	for _, s := range steps {
		if s.isFrame() {
			return s.name
		}
	}
	return ""
}

func (p *player) frame(s step, rest []step) error {
	// Clients leave once they have the event that ends a response: whether we
	// see that before the end is a race that must not show.
	if err := p.t.over(); err != nil && !p.terminal {
		return err
	}
	if p.to.shows(s.kind) {
		p.s.emit(Event{Kind: Sent, Exchange: p.x.Exchange, What: s.name, Data: s.data})
		p.x.frames++
	}
	if isTerminal(s.name) {
		p.terminal = true
		p.s.answered(p.x, rest)
	}
	switch s.kind {
	case stepHeaders:
		return p.to.headers(p.t.a.status, p.t.a.headers)
	case stepEvent:
		return p.to.event(s.name, s.data)
	case stepBody:
		p.terminal = true
		return p.to.body(s.data)
	}
	return p.to.end()
}

func isTerminal(event string) bool {
	switch event {
	case "response.completed", "response.failed", "response.incomplete":
		return true
	}
	return false
}

// sleep lets time pass on the Server's clock.
func (s *Server) sleep(ctx context.Context, d time.Duration) error {
	if s.Sleep != nil {
		return s.Sleep(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
