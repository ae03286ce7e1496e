package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/harness/judge"
	"github.com/heldstream/heldstream/harness/plan"
)

// stepRPC calls the app-server itself and compares what it answers.
func (e *Env) stepRPC(ctx context.Context, s plan.Step, a *plan.RPC) error {
	var params any // none
	if len(a.Params) > 0 {
		params = json.RawMessage(e.expand(string(a.Params)))
	}
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
		if why := e.judged().PathDiffers(path, want[path], body); why != "" {
			return fmt.Errorf("the result's %s", why)
		}
	}
	return nil
}

func (e *Env) judged() judge.Subject { return judge.Subject{Run: e.run, Expand: e.expand} }

// raw calls the app-server and waits for the answer: by the log, so that a call
// that can never be answered is noticed.
func (e *Env) raw(ctx context.Context, s plan.Step, method string, params any) (result any, err error) {
	answered := false
	a := e.agent(s.Agent)
	e.subject.begin(a, agentcore.RawRequest{AgentID: a.id, Method: method, Params: params}, func(r any, failed error) {
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
	_, err := e.raw(ctx, s, "thread/inject_items", map[string]any{"threadId": e.subject.thread(e.agent(s.Agent)), "items": items})
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
	c, err := e.conversations()
	switch {
	case err != nil:
	case a.What == "codex":
		err = c.reload(ctx, ag)
	default:
		err = c.restart(ctx)
	}
	if err != nil {
		return err
	}
	return e.settle(ctx)
}

// conversations is the subject, if it can go on with what it has stored.
func (e *Env) conversations() (conversations, error) {
	if c, ok := e.subject.(conversations); ok {
		return c, nil
	}
	return nil, errNotTaken
}

// stepResume loads an agent that was closed or whose codex is gone.
func (e *Env) stepResume(ctx context.Context, s plan.Step) error {
	c, ok := e.subject.(resumer)
	if !ok {
		return errNotTaken
	}
	if err := c.reload(ctx, e.agent(s.Agent)); err != nil {
		return err
	}
	return e.settle(ctx)
}

// stepClose ends the agent's session in order.
func (e *Env) stepClose(ctx context.Context, s plan.Step) error {
	c, err := e.conversations()
	if err != nil {
		return err
	}
	if err := c.end(ctx, e.agent(s.Agent)); err != nil {
		return err
	}
	return e.settle(ctx)
}

// stepFork copies the conversation to a new agent, with a home and a codex of its
// own: what one codex has open no other can go on with.
func (e *Env) stepFork(ctx context.Context, s plan.Step, a *plan.Fork) error {
	c, err := e.conversations()
	if err != nil {
		return err
	}
	from := e.agent(s.Agent)
	as := from.Agent
	as.Name = a.As
	to, err := e.addAgent(as)
	if err != nil {
		return err
	}
	if err := c.fork(ctx, from, to); err != nil {
		return err
	}
	return e.settle(ctx)
}
