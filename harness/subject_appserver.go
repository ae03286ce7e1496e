package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// appServer is the subject "app-server": a codex for each agent with nothing
// before it but the handshake. Steps make the calls; codex's own requests stay
// open.
type appServer struct {
	env *Env

	mu      sync.Mutex
	clients map[*agent]*rpcClient
}

// rpcClient numbers the calls to one codex and hands on their answers.
type rpcClient struct {
	env     *Env
	agent   *agent
	shown   *shownWire
	process codex.Process

	mu    sync.Mutex
	last  int
	calls map[string]func(any, error) // by id, not answered
	gone  bool
}

func newAppServer(e *Env) *appServer { return &appServer{env: e, clients: map[*agent]*rpcClient{}} }

func (s *appServer) open(ctx context.Context) error {
	for _, a := range s.env.agents.all() {
		if err := s.start(ctx, a); err != nil {
			return fmt.Errorf("agent %s: %w", a.name, err)
		}
	}
	return nil
}

func (s *appServer) start(ctx context.Context, a *agent) error {
	c := &rpcClient{env: s.env, agent: a, shown: &shownWire{log: s.env.log, agent: a.name}, calls: map[string]func(any, error){}}
	process, err := s.env.wire.Start(a.home.Command(a.id, s.env.workspace()), codex.Callbacks{Line: c.line, Stderr: func([]byte) {}, Exit: c.exited})
	if err != nil {
		return err
	}
	c.process = process
	s.mu.Lock()
	s.clients[a] = c
	s.mu.Unlock()
	return c.handshake(ctx)
}

func (c *rpcClient) handshake(ctx context.Context) error {
	done, failed := false, error(nil)
	c.call("initialize", map[string]any{
		"clientInfo":   map[string]any{"name": "heldstream", "title": "Heldstream", "version": "0.0.0"},
		"capabilities": map[string]any{"experimentalApi": true},
	}, func(_ any, err error) { c.env.log.Update(func() { done, failed = true, err }) })
	err := c.env.log.Wait(ctx, func([]eventlog.Event) (bool, error) { return done, failed })
	if err == nil {
		c.process.Write(jsonrpc.Message{Method: "initialized"}.Line())
		c.shown.state("idle")
	}
	return err
}

func (c *rpcClient) call(method string, params any, answered func(any, error)) {
	raw, err := rawParams(params)
	if err != nil {
		answered(nil, err)
		return
	}
	c.mu.Lock()
	if c.gone {
		c.mu.Unlock()
		answered(nil, errCodexGone)
		return
	}
	c.last++
	id := strconv.Itoa(c.last)
	c.calls[id] = answered
	c.mu.Unlock()
	c.process.Write(jsonrpc.Message{ID: json.RawMessage(id), Method: method, Params: raw}.Line())
}

// rawParams leaves out the member where there are none.
func rawParams(params any) (json.RawMessage, error) {
	if params == nil {
		return nil, nil
	}
	return jsonrpc.Raw(params)
}

var errCodexGone = errors.New("codex has exited")

func (c *rpcClient) line(line []byte) {
	m, err := jsonrpc.Parse(line)
	switch {
	case err != nil:
	case m.Kind() == jsonrpc.Notification:
		c.shown.notified(m.Method, m.Params)
	case m.Kind() == jsonrpc.Reply:
		c.reply(m)
	}
}

func (c *rpcClient) reply(m jsonrpc.Message) {
	c.mu.Lock()
	answered := c.calls[string(m.ID)]
	delete(c.calls, string(m.ID))
	c.mu.Unlock()
	switch {
	case answered == nil:
	case m.Error != nil:
		answered(nil, m.Error)
	default:
		answered(m.Result, nil)
	}
}

func (c *rpcClient) exited(codex.Exit) {
	c.mu.Lock()
	open := c.calls
	c.calls, c.gone = nil, true
	c.mu.Unlock()
	for _, answered := range open {
		answered(nil, errCodexGone)
	}
	c.shown.state("error")
}

func (s *appServer) send(_ *agent, _ prompt, answered func(eventlog.SendAnswered)) {
	answered(eventlog.SendAnswered{Error: errNotTaken.Error()})
}

func (s *appServer) begin(a *agent, req agentcore.Request, answered func(any, error)) {
	raw, ok := req.(agentcore.RawRequest)
	s.mu.Lock()
	c := s.clients[a]
	s.mu.Unlock()
	if !ok || c == nil {
		answered(nil, errNotTaken)
		return
	}
	c.call(raw.Method, raw.Params, answered)
}

func (s *appServer) thread(a *agent) string { return lastThread(s.env, a) }

// lastThread is the thread that the agent's codex opened last, as the wire has it.
func lastThread(e *Env, a *agent) (id string) {
	e.log.View(func([]eventlog.Event) {
		if threads := e.run.Agent(a.name).Threads; len(threads) > 0 {
			id = threads[len(threads)-1].ID
		}
	})
	return id
}

func (s *appServer) kill(a *agent) bool { return s.env.backend.kill(a.id) }

// close has nothing to do: the backend ends the processes.
func (s *appServer) close() error { return nil }
