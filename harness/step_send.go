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
func (e *Env) stepSend(s plan.Step, a *plan.Send) {
	e.send(s, prompt{a.Text, a.Images, a.Attached, a.Behavior, a.ID})
}

type prompt struct {
	text     string
	images   []plan.Content
	attached []plan.Attachment
	behavior string
	id       string
}

// send returns the number of the send.
func (e *Env) send(s plan.Step, p prompt) int {
	a := e.agent(s.Agent)
	e.sends++
	n := e.sends
	p.id = or(p.id, fmt.Sprintf("send-%d", n))
	p.text = e.expand(p.text)
	e.log.Append(a.name, eventlog.SendBegan{Send: n, Step: s.Index, ID: p.id, Text: p.text})
	e.subject.send(a, p, func(b eventlog.SendAnswered) {
		b.Send = n
		e.log.Append(a.name, b)
	})
	return n
}

func (e *Env) images(list []plan.Content) []agentcore.Image {
	var all []agentcore.Image
	for _, c := range list {
		all = append(all, agentcore.Image{MIME: "image/png", Data: contentBytes(c, e.expand)})
	}
	return all
}

func (e *Env) attachments(list []plan.Attachment) []agentcore.Attachment {
	var all []agentcore.Attachment
	for _, a := range list {
		all = append(all, agentcore.Attachment{Kind: a.Kind, Name: a.Name, Path: e.expand(a.Path), Text: e.expand(a.Text)})
	}
	return all
}

// stepRun sends, waits for the end of the turn that took the text, and then
// until all has settled.
func (e *Env) stepRun(ctx context.Context, s plan.Step, a *plan.Run) error {
	n := e.send(s, prompt{a.Text, a.Images, a.Attached, a.Behavior, a.ID})
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
		// The timeline has the rest: codex's stderr, when it has died.
		line, _, _ := strings.Cut(end.Error, "\n")
		return fmt.Errorf("the turn %s (%s), wanted %s", end.Status, line, want)
	case end.Status != want:
		return fmt.Errorf("the turn %s, wanted %s", end.Status, want)
	case !strings.Contains(end.Error, a.Error):
		return fmt.Errorf("the turn's error is %q, wanted one that contains %q", end.Error, a.Error)
	}
	return nil
}
