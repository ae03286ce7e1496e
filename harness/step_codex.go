package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/harness/judge"
	"github.com/heldstream/heldstream/harness/plan"
)

// stepRPC calls the app-server itself and compares what it answers.
func (e *Env) stepRPC(ctx context.Context, s plan.Step, a *plan.RPC) error {
	params := json.RawMessage(e.expand(string(a.Params)))
	result, err := e.raw(ctx, s, a.Method, params)
	switch {
	case a.Error != "" && err == nil:
		return fmt.Errorf("%s succeeded, wanted an error that contains %q", a.Method, a.Error)
	case a.Error != "" && !strings.Contains(err.Error(), e.expand(a.Error)):
		return fmt.Errorf("%s failed with %q, wanted an error that contains %q", a.Method, err, a.Error)
	case a.Error == "" && err != nil:
		return fmt.Errorf("%s: %w", a.Method, err)
	}
	return e.sameResult(a.Result, result)
}

func (e *Env) sameResult(want map[string]any, result any) error {
	body, err := json.Marshal(result)
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if why := e.subject().PathDiffers(path, want[path], body); why != "" {
			return fmt.Errorf("the result's %s", why)
		}
	}
	return nil
}

func (e *Env) subject() judge.Subject { return judge.Subject{Run: e.run, Expand: e.expand} }

// raw calls the app-server and waits for the answer: by the log, so that a call
// that can never be answered is noticed.
func (e *Env) raw(ctx context.Context, s plan.Step, method string, params any) (result any, err error) {
	answered := false
	e.manager.BeginFunc(agentcore.RawRequest{AgentID: e.agent(s.Agent).id, Method: method, Params: params}, func(r any, failed error) {
		e.log.Update(func() { result, err, answered = r, failed, true })
	})
	waited := e.await(ctx, func() (judge.Answer, string) { return met(answered), "an answer to " + method })
	return result, errors.Join(waited, err)
}

// stepInject puts items into the conversation's history.
func (e *Env) stepInject(ctx context.Context, s plan.Step, a *plan.Inject) error {
	items := make([]json.RawMessage, len(a.Items))
	for i, item := range a.Items {
		items[i] = json.RawMessage(e.expand(string(item)))
	}
	_, err := e.raw(ctx, s, "thread/inject_items", map[string]any{"threadId": e.agent(s.Agent).thread(e), "items": items})
	return err
}

// stepRestart ends codex, the manager or both, and goes on with the same
// conversation. A changed config is what the new codex starts with.
func (e *Env) stepRestart(ctx context.Context, s plan.Step, a *plan.Restart) error {
	ag := e.agent(s.Agent)
	maps.Copy(ag.home.Config, a.Config)
	addFeatures(ag.home.Config, a.Features)
	if err := ag.home.Prepare(); err != nil {
		return err
	}
	var err error
	if a.What == "codex" {
		_, err = e.manager.Reload(ctx, agentcore.ReloadRequest{AgentID: ag.id})
	} else {
		err = e.restartManager(ctx)
	}
	if err != nil {
		return err
	}
	return e.settle(ctx)
}

// restartManager puts a new manager over what the old one has stored.
func (e *Env) restartManager(ctx context.Context) error {
	e.stopTools()
	e.manager.Shutdown(ctx)
	e.backend.closeAll()
	e.manager = e.newManager()
	if err := e.serveTools(); err != nil {
		return err
	}
	for _, a := range e.agents.all() {
		if _, err := e.manager.Load(ctx, a.id); err != nil {
			return fmt.Errorf("agent %s: %w", a.name, err)
		}
	}
	return nil
}

// stepResume loads an agent that was closed or whose codex is gone.
func (e *Env) stepResume(ctx context.Context, s plan.Step) error {
	id := e.agent(s.Agent).id
	var err error
	if _, live := e.manager.Get(id); live {
		_, err = e.manager.Reload(ctx, agentcore.ReloadRequest{AgentID: id})
	} else {
		_, err = e.manager.Load(ctx, id)
	}
	if err != nil {
		return err
	}
	return e.settle(ctx)
}

// stepClose ends the agent's session in order.
func (e *Env) stepClose(ctx context.Context, s plan.Step) error {
	if err := e.manager.Close(ctx, e.agent(s.Agent).id); err != nil {
		return err
	}
	return e.settle(ctx)
}

// stepFork copies the conversation to a new agent, with a home and a codex of its
// own: what one codex has open no other can go on with.
func (e *Env) stepFork(ctx context.Context, s plan.Step, a *plan.Fork) error {
	from := e.agent(s.Agent)
	as := from.Agent
	as.Name = a.As
	to, err := e.addAgent(as)
	if err != nil {
		return err
	}
	if e.player == nil { // a tape has no files of codex's
		if err := os.CopyFS(to.home.Sessions(), os.DirFS(from.home.Sessions())); err != nil {
			return err
		}
	}
	_, err = e.manager.Create(ctx, agentcore.CreateRequest{
		AgentID: to.id, Title: a.As, Config: to.config(e.workspace()),
		Resume: &agentcore.Handle{Provider: "codex", SessionID: from.thread(e), Metadata: map[string]any{codex.CopyOf: true}},
	})
	if err != nil {
		return err
	}
	return e.settle(ctx)
}
