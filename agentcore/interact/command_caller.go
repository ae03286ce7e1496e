package interact

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

func readCreate(c *command) error {
	r := agentcore.CreateRequest{
		AgentID: agentID, Title: c.opts["title"], Config: agentcore.SessionConfig{Provider: "script", Cwd: "/work", Internal: c.opts["internal"] != ""},
	}
	if parent := c.opts["parent"]; parent != "" {
		r.Labels = map[string]string{agentcore.ParentLabel: parent}
	}
	if thread := c.opts["resume"]; thread != "" {
		r.Resume = &agentcore.Handle{Provider: "script", SessionID: thread}
	}
	c.request, c.opens = r, c.opts["opened"] != "no"
	return nil
}

func readSend(c *command) error {
	text, err := c.word(1, "a text")
	if err != nil {
		return err
	}
	policy, ok := agentcore.PresetNamed(c.or(2, "steer"))
	if !ok {
		return fmt.Errorf("no preset %q", c.words[2])
	}
	policy.OnLost = agentcore.Lost(c.opts["lost"])
	if f := c.opts["unavailable"]; f != "" {
		policy.OnUnavailable = agentcore.Fallback(f)
	}
	if f := c.opts["notsteerable"]; f != "" {
		policy.OnNotSteerable = agentcore.Fallback(f)
	}
	r := agentcore.SendRequest{AgentID: agentID, Prompt: agentcore.Prompt{Text: text}, ClientID: c.opt("id", text), Policy: policy}
	c.request = r
	if c.opts["run"] != "" {
		c.request = agentcore.RunRequest{SendRequest: r}
	}
	return nil
}

func readRun(c *command) error {
	text, err := c.word(1, "a text")
	c.request = agentcore.RunRequest{SendRequest: agentcore.SendRequest{
		AgentID: agentID, Prompt: agentcore.Prompt{Text: text}, ClientID: c.opt("id", text),
	}}
	return err
}

func readWithdraw(c *command) error {
	id, err := c.word(1, "a message id")
	c.request = agentcore.WithdrawRequest{AgentID: agentID, ClientID: id}
	return err
}

func readReload(c *command) error {
	c.request = agentcore.ReloadRequest{AgentID: agentID, Rehydrate: c.opts["rehydrate"] != ""}
	return nil
}

func readHydrate(c *command) error {
	c.request = agentcore.HydrateRequest{AgentID: agentID, Force: c.opts["force"] != ""}
	return nil
}

func readRaw(c *command) error {
	method, err := c.word(1, "a method")
	c.request = agentcore.RawRequest{AgentID: agentID, Method: method}
	return err
}

func readRespond(c *command) error {
	id, err := c.word(1, "an id")
	c.request = agentcore.RespondRequest{AgentID: agentID, Permission: id, Response: agentcore.PermissionResponse{Allow: c.or(2, "allow") == "allow"}}
	return err
}

func readSet(c *command) error {
	if len(c.words) < 3 {
		return errors.New("set: a name and a value are missing")
	}
	c.request = agentcore.SetRequest{AgentID: agentID, Name: c.words[1], Value: c.words[2]}
	return nil
}

func readEdit(c *command) error {
	r := agentcore.EditRequest{AgentID: agentID, Title: c.opts["title"], ClearAttention: c.opts["clear"] != "", MarkUnread: c.opts["unread"] != ""}
	if key, value, ok := strings.Cut(c.opts["label"], ":"); ok {
		r.Labels = map[string]string{key: value}
	}
	c.request = r
	return nil
}

func readWait(c *command) error {
	what, err := c.word(1, "start, event or active")
	c.request = agentcore.WaitRequest{AgentID: agentID, For: agentcore.WaitFor(what)}
	return err
}

func readAppend(c *command) error {
	text, err := c.word(1, "a text")
	c.request = agentcore.AppendRequest{AgentID: agentID, Item: agentcore.Item{Kind: timeline.Assistant, Text: text}}
	return err
}
