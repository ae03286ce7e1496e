package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/mcp"
)

const (
	boss   = "00000000-0000-4000-8000-000000000001"
	worker = "00000000-0000-4000-8000-000000000002"
	nobody = "00000000-0000-4000-8000-0000000000ff"
)

// sessions is a provider whose turns start at once and end when the test says.
type sessions struct {
	mu  sync.Mutex
	all map[string]*session // by agent
}

type session struct {
	sink  agentcore.Sink
	turns int
}

func (p *sessions) Open(r agentcore.OpenRequest, sink agentcore.Sink) agentcore.Session {
	s := &session{sink: sink}
	p.mu.Lock()
	p.all[r.AgentID] = s
	p.mu.Unlock()
	sink(agentcore.Opened{Handle: agentcore.Handle{Provider: "fake", SessionID: "thread"}, Capabilities: agentcore.Capabilities{Steer: true}})
	return s
}

func (p *sessions) of(agent string) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all[agent]
}

func (s *session) turn() string { return fmt.Sprintf("turn-%d", s.turns) }

// Do implements agentcore.Session.
func (s *session) Do(c agentcore.Call) {
	switch op := c.Op.(type) {
	case agentcore.StartTurn:
		s.turns++
		s.sink(agentcore.Answer{Call: c.ID, Value: s.turn()})
		s.sink(agentcore.TurnStarted{Turn: s.turn()})
	case agentcore.InterruptTurn:
		s.sink(agentcore.Answer{Call: c.ID})
		s.end(agentcore.TurnInterrupted)
	case agentcore.Respond:
		s.sink(agentcore.Answer{Call: c.ID})
		s.sink(agentcore.PermissionResolved{Turn: s.turn(), Request: op.Request, Response: op.Response})
	case agentcore.CloseSession:
		s.sink(agentcore.Answer{Call: c.ID})
		s.sink(agentcore.Exited{})
	default:
		s.sink(agentcore.Answer{Call: c.ID})
	}
}

func (s *session) say(text string) {
	s.sink(agentcore.ItemUpdated{Turn: s.turn(), Item: agentcore.Item{Kind: "assistant", ID: "m-" + s.turn(), Text: text, Final: true}})
}

func (s *session) end(status agentcore.TurnStatus) {
	s.sink(agentcore.TurnEnded{Turn: s.turn(), Status: status, Error: map[agentcore.TurnStatus]string{agentcore.TurnFailed: "out of quota\nstderr of 12:30"}[status]})
}

func (s *session) ask() {
	s.sink(agentcore.PermissionRequested{Turn: s.turn(), Request: agentcore.PermissionRequest{ID: "p1", Kind: "tool", Title: "Run command: ls"}})
}

// heldClock lets timers run out when the test says.
type heldClock struct {
	mu     sync.Mutex
	timers map[string]func()
}

func (c *heldClock) Now() time.Time { return time.Unix(0, 0) }

func (c *heldClock) AfterFunc(name string, _ time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers[name] = f
	return func() {}
}

func (c *heldClock) expire(name string) {
	c.mu.Lock()
	f := c.timers[name]
	c.mu.Unlock()
	f()
}

// rig is a manager of two agents, boss and worker, with its server.
type rig struct {
	*agentcore.Manager
	t      *testing.T
	fake   *sessions
	clock  *heldClock
	tokens *mcp.Tokens
	server *mcp.Server
	web    *httptest.Server

	mu      sync.Mutex
	changed *sync.Cond
	work    int
	called  int
	answers int
	sent    map[string][]string // user rows by agent
}

func newRig(t *testing.T, change func(*mcp.Options)) *rig {
	r := &rig{t: t, fake: &sessions{all: map[string]*session{}}, clock: &heldClock{timers: map[string]func(){}}, tokens: &mcp.Tokens{}, sent: map[string][]string{}}
	r.changed = sync.NewCond(&r.mu)
	n := 0
	r.Manager = agentcore.New(agentcore.Options{
		Providers: map[string]agentcore.Provider{"fake": r.fake},
		NewID: func(kind string) string {
			r.mu.Lock()
			defer r.mu.Unlock()
			n++
			return map[bool]string{true: fmt.Sprintf("00000000-0000-4000-8000-%012d", n+10), false: fmt.Sprint(kind, "-", n)}[kind == "agent"]
		},
		Hooks: agentcore.Hooks{Work: r.count},
	})
	r.Subscribe(r.observe, agentcore.SubscribeOptions{})
	o := mcp.Options{Manager: r.Manager, Tokens: r.tokens, Clock: r.clock, Hooks: mcp.Hooks{
		Work: r.count, Called: func(mcp.Call) { r.update(func() { r.called++ }) },
		Answered: func(mcp.Call, mcp.Answer) { r.update(func() { r.answers++ }) },
	}}
	if change != nil {
		change(&o)
	}
	r.server = mcp.New(o)
	r.web = httptest.NewServer(r.server)
	for id, title := range map[string]string{boss: "boss", worker: "worker"} {
		_, err := r.Create(t.Context(), agentcore.CreateRequest{AgentID: id, Title: title, Config: agentcore.SessionConfig{Provider: "fake", Cwd: t.TempDir()}})
		require.NoError(t, err)
	}
	t.Cleanup(func() {
		r.server.Close()
		require.NoError(t, r.Shutdown(context.Background()))
		r.web.Close()
	})
	return r
}

func (r *rig) update(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
	r.changed.Broadcast()
}

func (r *rig) count(delta int) { r.update(func() { r.work += delta }) }

func (r *rig) observe(u agentcore.Update) {
	if row, ok := u.(agentcore.RowAppended); ok && row.Row.Item.Kind == "user" {
		r.update(func() { r.sent[row.Agent] = append(r.sent[row.Agent], row.Row.Item.Text) })
	}
}

// settle waits until so many calls came in and nothing but those that wait for
// the manager is under way.
func (r *rig) settle(calls int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.work > 0 || r.called < calls {
		r.changed.Wait()
	}
}

// ended waits until so many calls have their answer.
func (r *rig) ended(calls int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.answers < calls {
		r.changed.Wait()
	}
}

func (r *rig) texts(agent string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent[agent]
}

type bearer struct{ token string }

func (b bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(req)
}

// as connects the SDK's own client with an agent's token; "" is a caller that
// is no agent.
func (r *rig) as(agent string) *sdk.ClientSession {
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(r.t.Context(), &sdk.StreamableClientTransport{
		Endpoint: r.web.URL, HTTPClient: &http.Client{Transport: bearer{r.tokens.New(agent)}}, DisableStandaloneSSE: true,
	}, nil)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = session.Close(); http.DefaultTransport.(*http.Transport).CloseIdleConnections() })
	return session
}

type args map[string]any

// call calls a tool and returns its result as JSON; faults are fatal.
func (r *rig) call(c *sdk.ClientSession, tool string, a args) string {
	text, failed := r.try(c, tool, a)
	require.False(r.t, failed, text)
	return text
}

func (r *rig) try(c *sdk.ClientSession, tool string, a args) (text string, failed bool) {
	if a == nil {
		a = args{}
	}
	got, err := c.CallTool(r.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: a})
	require.NoError(r.t, err)
	require.Len(r.t, got.Content, 1)
	return got.Content[0].(*sdk.TextContent).Text, got.IsError
}

// background calls a tool that will wait; the result comes when it is done.
func (r *rig) background(ctx context.Context, c *sdk.ClientSession, tool string, a args) <-chan string {
	done := make(chan string, 1)
	go func() {
		got, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: a})
		if err != nil {
			done <- err.Error()
			return
		}
		done <- got.Content[0].(*sdk.TextContent).Text
	}()
	return done
}

func decode(t *testing.T, text string) map[string]any {
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &m))
	return m
}
