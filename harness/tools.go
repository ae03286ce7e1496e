package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/mcp"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/mockprovider"
)

// tools serve the manager's tools to the agents of the run, on one port for all
// managers that the run has one after the other.
type tools struct {
	tokens  mcp.Tokens
	current atomic.Pointer[serving]
	url     string
	http    *http.Server
	done    chan error
}

// serving is one manager's time at the tools.
type serving struct {
	*mcp.Server
	stopped atomic.Bool
}

// toolSpace is the namespace in which codex shows the tools to the model.
const toolSpace = "mcp__" + mcp.Name

// wantsTools reports whether the agents get the manager's tools: where a reply
// calls one, or the file says what they do.
func wantsTools(p *plan.Plan) bool {
	if _, other := takes[p.Subject.Kind]; other {
		return false
	}
	return p.Manager.ToolDefault != "" || slices.ContainsFunc(p.Script.Replies, callsTools)
}

func callsTools(r mockprovider.Reply) bool {
	return slices.ContainsFunc(r.Attempts, callsTools) || slices.ContainsFunc(r.Call, func(c mockprovider.Call) bool {
		return c.Namespace == toolSpace || strings.HasPrefix(c.Tool, toolSpace+"__")
	})
}

// openTools begins to serve.
func (e *Env) openTools() error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	t := &tools{url: "http://" + ln.Addr().String() + "/mcp", done: make(chan error, 1)}
	t.http = &http.Server{Handler: http.HandlerFunc(e.serveTool)}
	go func() { t.done <- t.http.Serve(ln) }()
	e.tools = t
	return nil
}

// serveTools lets the tools speak for a manager.
func (e *Env) serveTools(m *ourManager) error {
	if e.tools == nil {
		return nil
	}
	policy, err := m.policy(e.plan.Manager.ToolDefault)
	if err != nil {
		return err
	}
	e.tools.current.Store(&serving{Server: mcp.New(mcp.Options{
		Manager: m.manager, Tokens: &e.tools.tokens, Policy: policy, Create: e.createdByTool, Clock: e.clock,
		Hooks: mcp.Hooks{Called: e.toolCalled, Answered: e.toolAnswered, Work: e.worked},
	})})
	return nil
}

// stopTools ends the calls that wait; the manager can go then.
func (e *Env) stopTools() {
	if e.tools == nil {
		return
	}
	if s := e.tools.current.Load(); s != nil {
		s.stopped.Store(true)
		s.Close()
	}
}

func (t *tools) close() error {
	if t == nil {
		return nil
	}
	err := t.http.Close()
	if served := <-t.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// tokenName is the variable by which codex gets its token.
const tokenName = "HELDSTREAM_AGENTS_TOKEN"

// hand puts the tools into an agent's config. What the scenario says of the
// server counts more.
func (t *tools) hand(a *agent) {
	if t == nil {
		return
	}
	server := map[string]any{
		"url": t.url, "bearer_token_env_var": tokenName,
		"required": true, "startup_timeout_sec": toolPatience, "tool_timeout_sec": toolPatience,
		// Nobody is there to approve each call, and a policy of never would refuse it.
		"default_tools_approval_mode": "approve",
	}
	servers := map[string]any{}
	if old, ok := a.home.Config["mcp_servers"].(map[string]any); ok {
		maps.Copy(servers, old)
	}
	if own, ok := servers[mcp.Name].(map[string]any); ok {
		maps.Copy(server, own)
	}
	servers[mcp.Name] = server
	a.home.Config["mcp_servers"] = servers
	env := maps.Clone(a.home.Env)
	if env == nil {
		env = map[string]string{}
	}
	a.token = t.tokens.New(a.id)
	env[tokenName] = a.token
	a.home.Env = env
}

// toolPatience is how long codex waits for the tools, in seconds: longer than
// any run, since a scenario may hold what a call waits for.
const toolPatience = 3600

func (e *Env) toolCalled(c mcp.Call) {
	e.log.Append(e.nameOf(c.Caller), eventlog.AgentCalled{ID: c.ID, Tool: c.Tool, Args: c.Args})
}

func (e *Env) toolAnswered(c mcp.Call, a mcp.Answer) {
	b := eventlog.AgentAnswered{ID: c.ID, Tool: c.Tool}
	if a.Err != nil {
		b.Error = a.Err.Error()
	} else if result, err := json.Marshal(a.Result); err == nil {
		b.Result = result
	}
	e.log.Append(e.nameOf(c.Caller), b)
}

// createdByTool gives an agent that a tool creates what the others have: a home,
// a port, and the name that the scenario knows it by.
func (e *Env) createdByTool(_ string, r agentcore.CreateRequest) (agentcore.CreateRequest, error) {
	if r.Title == "" || e.agent(r.Title) != nil {
		return r, fmt.Errorf("title: a scenario's agents need names of their own, and %q is none", r.Title)
	}
	a, err := e.addAgent(plan.Agent{Name: r.Title, Mode: r.Config.Mode, Model: r.Config.Model, Thinking: r.Config.Thinking})
	if err != nil {
		return r, err
	}
	r.AgentID = a.id
	return r, nil
}
