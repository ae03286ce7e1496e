package harness

import (
	"context"
	"fmt"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/judge"
	"github.com/heldstream/heldstream/harness/plan"
)

// stepSend hands a prompt to the manager and goes on at once; the answer comes
// into the log.
func (e *Env) stepSend(s plan.Step, a *plan.Send) error {
	_, err := e.send(s, prompt{a.Text, a.Images, a.Behavior, a.ID})
	return err
}

type prompt struct {
	text     string
	images   []plan.Content
	behavior string
	id       string
}

// send returns the number of the send.
func (e *Env) send(s plan.Step, p prompt) (int, error) {
	a := e.agent(s.Agent)
	policy, err := e.policy(p.behavior)
	if err != nil {
		return 0, err
	}
	e.sends++
	n := e.sends
	id := p.id
	if id == "" {
		id = fmt.Sprintf("send-%d", n)
	}
	text := e.expand(p.text)
	e.log.Append(a.name, eventlog.SendBegan{Send: n, Step: s.Index, ID: id, Text: text})
	e.manager.BeginFunc(agentcore.SendRequest{
		AgentID: a.id, ClientID: id, Policy: policy, Prompt: agentcore.Prompt{Text: text, Images: e.images(p.images)},
	}, func(result any, err error) { e.log.Append(a.name, answered(n, result, err)) })
	return n, nil
}

func answered(n int, result any, err error) eventlog.SendAnswered {
	if err != nil {
		return eventlog.SendAnswered{Send: n, Error: err.Error()}
	}
	r := result.(agentcore.SendResult)
	return eventlog.SendAnswered{Send: n, Gives: string(r.Disposition), Turn: r.Turn}
}

// policy is the named behavior, or the scenario's preset, with what it says of
// lost texts.
func (e *Env) policy(behavior string) (agentcore.Policy, error) {
	if behavior == "" {
		behavior = e.plan.Manager.Preset
	}
	policy, ok := agentcore.PresetNamed(behavior)
	if !ok {
		return policy, fmt.Errorf("no behavior is named %q; there are replace, steer, steer-no-wait and queue", behavior)
	}
	policy.OnLost = agentcore.Lost(e.plan.Manager.OnLost)
	return policy, nil
}

func (e *Env) images(list []plan.Content) []agentcore.Image {
	var all []agentcore.Image
	for _, c := range list {
		all = append(all, agentcore.Image{MIME: "image/png", Data: contentBytes(c, e.expand)})
	}
	return all
}

// stepRun sends, waits for the end of the turn that took the text, and then
// until all has settled.
func (e *Env) stepRun(ctx context.Context, s plan.Step, a *plan.Run) error {
	n, err := e.send(s, prompt{a.Text, a.Images, a.Behavior, a.ID})
	if err != nil {
		return err
	}
	var end eventlog.Turn
	if err := e.await(ctx, func() (judge.Answer, string) { return e.turnOf(n, &end) }); err != nil {
		return err
	}
	if err := ended(a, end); err != nil {
		return err
	}
	return e.settle(ctx)
}

// turnOf finds the end of the turn that took a send.
func (e *Env) turnOf(n int, end *eventlog.Turn) (judge.Answer, string) {
	send := e.run.Sends[n-1]
	switch {
	case send.Answer == nil:
		return judge.Unmet, "the manager has not answered the send"
	case send.Answer.Error != "":
		return judge.Never, "the send was refused: " + send.Answer.Error
	}
	for _, t := range e.run.Agents[send.Agent].Turns {
		if t.ID == send.Answer.Turn && t.Status != "started" {
			*end = t
			return judge.Met, ""
		}
	}
	return judge.Unmet, "the turn has not ended"
}

func ended(a *plan.Run, end eventlog.Turn) error {
	want := a.Ends
	if want == "" {
		want = "completed"
	}
	switch {
	case end.Status != want && end.Error != "":
		return fmt.Errorf("the turn %s (%s), wanted %s", end.Status, end.Error, want)
	case end.Status != want:
		return fmt.Errorf("the turn %s, wanted %s", end.Status, want)
	case !strings.Contains(end.Error, a.Error):
		return fmt.Errorf("the turn's error is %q, wanted one that contains %q", end.Error, a.Error)
	}
	return nil
}
