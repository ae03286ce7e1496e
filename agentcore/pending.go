package agentcore

import "context"

// Pending is a request that is under way. Its methods are safe for concurrent
// use.
type Pending struct {
	id     ReqID
	text   bool   // it carries a text, which has a fate
	waits  string // the agent that a WaitRequest waits for
	done   chan struct{}
	result any
	err    error

	answered func(any, error)

	fated chan struct{}
	fate  Fate
}

func newPending(id ReqID, r Request) *Pending {
	p := &Pending{id: id, done: make(chan struct{}), fated: make(chan struct{})}
	switch r := r.(type) {
	case SendRequest, RunRequest:
		p.text = true
	case WaitRequest:
		p.waits = r.AgentID
	}
	return p
}

// Done is closed when the request has been answered.
func (p *Pending) Done() <-chan struct{} { return p.done }

// Result is the answer; it may be called once Done is closed.
func (p *Pending) Result() (any, error) {
	<-p.done
	return p.result, p.err
}

// Wait waits for the answer, or until ctx ends; the request goes on in that
// case.
func (p *Pending) Wait(ctx context.Context) (any, error) {
	select {
	case <-p.done:
		return p.result, p.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Fated is closed when it is known what became of an accepted text; never for
// a request that failed or carries none.
func (p *Pending) Fated() <-chan struct{} { return p.fated }

// Fate waits until that is known.
func (p *Pending) Fate(ctx context.Context) (Fate, error) {
	select {
	case <-p.fated:
		return p.fate, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
