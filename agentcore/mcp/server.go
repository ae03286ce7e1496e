package mcp

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/heldstream/heldstream/agentcore"
)

// Name is the name under which agents get the server: codex shows its tools to
// the model in the namespace mcp__agents.
const Name = "agents"

// Options are what a Server works with. Manager and Tokens must be given.
type Options struct {
	Manager *agentcore.Manager
	Tokens  *Tokens
	// Policy is how a prompt meets a turn that runs, where the call names no
	// behavior; the zero value is the manager's own.
	Policy agentcore.Policy
	// Create completes the request of create_agent: the id, the config. nil: the
	// new agent gets what the call says, and the rest from its caller.
	Create func(caller string, r agentcore.CreateRequest) (agentcore.CreateRequest, error)
	// Clock bounds waits; nil: real time.
	Clock agentcore.Clock
	// Wait is how long a call waits for an agent; 0: DefaultWait.
	Wait  time.Duration
	Hooks Hooks
}

// DefaultWait is how long a call waits for an agent before it answers that it
// has not ended yet.
const DefaultWait = 30 * time.Second

// TimerWait is the name of the timer that bounds a wait.
const TimerWait = "wait"

// Hooks are told what the tools do. They must not block.
type Hooks struct {
	// Called: a call has come in and will be put to the manager.
	Called func(Call)
	// Answered: it has its answer. This is called before anything else happens
	// to the agents, mostly inside the manager.
	Answered func(Call, Answer)
	// Work counts what the server is doing by itself; while a call waits for
	// the manager it does nothing.
	Work func(delta int)
}

// Server serves a manager's tools. It is an http.Handler.
type Server struct {
	opts    Options
	handler http.Handler

	mu     sync.Mutex
	closed bool
	calls  map[*call]bool // those without an answer
	under  sync.WaitGroup
}

// New makes a server. Close it before the manager.
func New(o Options) *Server {
	if o.Clock == nil {
		o.Clock = realClock{}
	}
	if o.Wait == 0 {
		o.Wait = DefaultWait
	}
	s := &Server{opts: o, calls: map[*call]bool{}}
	tools := sdk.NewServer(&sdk.Implementation{Name: Name, Title: "Agents", Version: "1"}, nil)
	s.addTools(tools)
	// Without sessions there is nothing to keep and nothing to hijack: each
	// request says by its token who calls.
	streamable := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return tools },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody})
	s.handler = auth.RequireBearerToken(s.verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(streamable)
	return s
}

// maxBody bounds a request, in bytes.
const maxBody = 4 << 20

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// httpContext is where a caller keeps the context of its HTTP request: the SDK
// cuts handlers off from it, and a client that leaves must not be waited for.
const httpContext = "context"

func (s *Server) verify(ctx context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	caller, ok := s.opts.Tokens.Caller(token)
	if !ok {
		return nil, fmt.Errorf("%w: it is not that of an agent", auth.ErrInvalidToken)
	}
	return &auth.TokenInfo{UserID: caller, Extra: map[string]any{httpContext: ctx}}, nil
}

// Close ends the calls that wait, and returns when none is left. New ones are
// refused, and nobody is notified of anything any more.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	open := make([]*call, 0, len(s.calls))
	for c := range s.calls {
		open = append(open, c)
	}
	s.mu.Unlock()
	for _, c := range open {
		c.leave(errClosed)
	}
	s.under.Wait()
}

var errClosed = fmt.Errorf("the manager is shutting down")

func (s *Server) down() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func (s *Server) work(delta int) {
	if s.opts.Hooks.Work != nil {
		s.opts.Hooks.Work(delta)
	}
}

type realClock struct{}

func (realClock) Now() time.Time { return time.Now() }

func (realClock) AfterFunc(_ string, d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}
