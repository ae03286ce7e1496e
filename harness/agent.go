package harness

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"path/filepath"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/mockprovider"
)

// agent is one agent of the run: a codex home and a base URL of its own.
type agent struct {
	plan.Agent
	name   string
	number int // from 1, in the order in which agents came
	id     string
	home   codex.Home
	token  string // by which its codex is known to the manager's tools
	http   *http.Server
	done   chan error
}

// addAgent opens the agent's port and writes its home.
func (e *Env) addAgent(a plan.Agent) (*agent, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ag := &agent{Agent: a, name: a.Name, done: make(chan error, 1)}
	ag.http = &http.Server{Handler: e.provider.For(a.Name)}
	go func() { ag.done <- ag.http.Serve(ln) }()
	e.agents.add(ag)
	ag.home = e.homeOf(ag, "http://"+ln.Addr().String()+"/v1")
	e.tools.hand(ag)
	e.traits(ag)
	return ag, ag.home.Prepare()
}

// agentID is the same in every run.
func agentID(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// traits tell the reading how this codex behaves where settling depends on it.
func (e *Env) traits(a *agent) {
	q := codex.QuirksOf(e.codex.Version)
	instant, set := e.plan.Codex.Features["instant_interrupt"]
	e.log.Update(func() {
		t := &e.run.Agent(a.name).Traits
		t.InstantInterrupt = q.InstantInterrupt && (instant || !set)
		t.ClosesHeld = q.ClosesReplaced
		t.Graceful = q.KeepsInterrupted
		t.Impatient = e.plan.Provider.IdleTimeout > 0
		t.Prewarms = e.plan.Provider.Transport == "websocket" && prewarmed(e.plan.Script.Upgrade)
		t.Tools = e.tools != nil
	})
}

// prewarmed reports whether the provider sees the prewarm of a connection: a
// frame that is lost, or too large to be sent, it does not see.
func prewarmed(up *mockprovider.Upgrade) bool {
	return up == nil || up.How != "reset" && up.How != "silent" && up.Headers["x-codex-websocket-max-message-bytes"] == ""
}

func (e *Env) homeOf(a *agent, base string) codex.Home {
	p := e.plan
	config := maps.Clone(p.Codex.Config)
	if config == nil {
		config = map[string]any{}
	}
	addFeatures(config, p.Codex.Features)
	return codex.Home{
		Root: filepath.Join(e.work.Dir, fmt.Sprintf("agent-%d", a.number)),
		Provider: codex.ProviderConfig{
			Kind: p.Provider.Kind, BaseURL: base, WebSocket: p.Provider.Transport == "websocket",
			RequestRetries: p.Provider.Retries.Request, StreamRetries: p.Provider.Retries.Stream, IdleTimeout: p.Provider.IdleTimeout,
		},
		Config: config, Auth: p.Provider.Login, AgentsMD: p.Codex.AgentsMD, Catalog: p.Codex.Catalog,
		Proxy: e.trap.URL(), Env: p.Codex.Env, Files: e.homeFiles(),
	}
}

// homeFiles are the files that the scenario puts into CODEX_HOME.
func (e *Env) homeFiles() map[string][]byte {
	files := map[string][]byte{}
	for name, c := range e.plan.Codex.Home {
		files[name] = contentBytes(c, e.expand)
	}
	return files
}

// addFeatures puts features into a config's own table of them.
func addFeatures(config map[string]any, features map[string]bool) {
	if len(features) == 0 {
		return
	}
	table := map[string]any{}
	if old, ok := config["features"].(map[string]any); ok {
		maps.Copy(table, old)
	}
	for name, on := range features {
		table[name] = on
	}
	config["features"] = table
}

func (a *agent) config(workspace string) agentcore.SessionConfig {
	return agentcore.SessionConfig{
		Provider: "codex", Cwd: workspace, Model: a.Model, Mode: a.Mode, Thinking: a.Thinking, SystemPrompt: a.SystemPrompt,
	}
}

func (a *agent) close() error {
	if a.http == nil {
		return nil
	}
	err := a.http.Close()
	if served := <-a.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

func (e *Env) agent(name string) *agent {
	return e.agents.find(func(a *agent) bool { return a.name == name })
}

// nameOf turns the manager's id of an agent into the scenario's name for it.
func (e *Env) nameOf(id string) string {
	if a := e.agents.find(func(a *agent) bool { return a.id == id }); a != nil {
		return a.name
	}
	return id
}

// command says how codex is started for an agent.
func (e *Env) command(req agentcore.OpenRequest) (codex.Command, error) {
	a := e.agent(e.nameOf(req.AgentID))
	if a == nil {
		return codex.Command{}, fmt.Errorf("no agent has the id %s", req.AgentID)
	}
	return a.home.Command(a.id, e.workspace()), nil
}
