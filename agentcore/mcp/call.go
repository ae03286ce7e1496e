package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/heldstream/heldstream/agentcore"
)

// Call is one call of a tool.
type Call struct {
	Caller string // an agent's id; "": a caller that is none
	ID     string // the client's id of the call, where it says it
	Tool   string
	Args   json.RawMessage
}

// Answer is what a call was given: a result, or an error.
type Answer struct {
	Result any
	Err    error
}

// call is a Call on its way to its answer.
type call struct {
	Call
	server *Server
	done   chan struct{}

	mu       sync.Mutex
	answered bool
	answer   Answer
	waiting  *agentcore.Pending // to be taken away when the call ends early
	stop     func()             // of the timer
}

// serve carries out one call: run puts it to the manager, and its answer comes
// from there. Nothing of the server stands between the two, so that whoever
// counts what is under way sees the call either wait for the manager or be
// answered.
func (s *Server) serve(ctx context.Context, r *sdk.CallToolRequest, run func(*call)) Answer {
	c := &call{server: s, done: make(chan struct{}), Call: Call{Tool: r.Params.Name, Args: r.Params.Arguments}}
	c.ID, _ = r.Params.Meta["callId"].(string)
	left := ctx
	if info := r.Extra.TokenInfo; info != nil {
		c.Caller = info.UserID
		left, _ = info.Extra[httpContext].(context.Context)
	}
	if !s.admit(c) {
		return Answer{Err: errClosed}
	}
	defer s.under.Done()
	run(c)
	s.work(-1)
	select {
	case <-c.done:
	case <-ctx.Done():
		c.leave(ctx.Err())
	case <-left.Done():
		c.leave(left.Err())
	}
	<-c.done // whoever answered first has also told of it
	return c.answer
}

// admit lets a call in, unless the server is closed. From here to the end of
// run the server is at work.
func (s *Server) admit(c *call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.calls[c] = true
	s.under.Add(1)
	s.work(+1)
	if h := s.opts.Hooks.Called; h != nil {
		h(c.Call)
	}
	return true
}

// finish gives the call its answer. Only the first one counts.
func (c *call) finish(result any, err error) {
	c.mu.Lock()
	if c.answered {
		c.mu.Unlock()
		return
	}
	c.answered, c.answer = true, Answer{result, err}
	if c.stop != nil {
		c.stop()
	}
	c.mu.Unlock()
	c.server.mu.Lock()
	delete(c.server.calls, c)
	c.server.mu.Unlock()
	if h := c.server.opts.Hooks.Answered; h != nil {
		h(c.Call, c.answer)
	}
	close(c.done)
}

// leave ends a call that nobody waits for any more. The manager goes on with
// what it was asked to do.
func (c *call) leave(err error) {
	c.server.work(+1)
	defer c.server.work(-1)
	c.abandon()
	c.finish(nil, err)
}

// abandon takes the call's waiter away from the manager.
func (c *call) abandon() {
	c.mu.Lock()
	p := c.waiting
	c.mu.Unlock()
	if p != nil {
		c.server.opts.Manager.Abandon(p)
	}
}

// begin puts a request to the manager; a fault ends the call, any other result
// goes to next, inside the manager.
func begin[T any](c *call, r agentcore.Request, next func(T)) *agentcore.Pending {
	return c.server.opts.Manager.BeginFunc(r, func(result any, err error) {
		if errors.Is(err, agentcore.ErrNotFound) {
			err = fmt.Errorf("agentId: %w; list_agents lists the agents, and a prompt opens one that is closed", err)
		}
		if err != nil {
			c.finish(nil, err)
			return
		}
		t, _ := result.(T)
		next(t)
	})
}
