package mcp

import (
	"fmt"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
)

// SendArgs are the arguments of send_agent_prompt.
type SendArgs struct {
	AgentID     string `json:"agentId" jsonschema:"id of the agent, a UUID"`
	Prompt      string `json:"prompt" jsonschema:"what to tell it"`
	Behavior    string `json:"behavior,omitempty" jsonschema:"how the prompt meets a turn that runs: replace, steer, steer-no-wait or queue"`
	SessionMode string `json:"sessionMode,omitempty" jsonschema:"permission mode to set first"`
	After
}

// After is what follows a prompt.
type After struct {
	Background     *bool `json:"background,omitempty" jsonschema:"return at once; true when left out, for a caller that is an agent"`
	NotifyOnFinish *bool `json:"notifyOnFinish,omitempty" jsonschema:"send the caller a message when the agent has finished, failed or asks for permission; true when left out, for an agent that does not wait"`
}

// Sent is the result of send_agent_prompt.
type Sent struct {
	Success     bool   `json:"success"`
	Disposition string `json:"disposition"`
	Waited
}

// SystemText wraps a message that no person wrote: the model is to know that it
// comes from the manager.
func SystemText(text string) string { return "<agent-system>\n" + text + "\n</agent-system>" }

func (c *call) send(in SendArgs) {
	policy, err := c.policy(in.Behavior)
	if err != nil {
		c.finish(nil, err)
		return
	}
	if strings.TrimSpace(in.Prompt) == "" {
		c.finish(nil, fmt.Errorf("prompt: it is empty; say what the agent is to do"))
		return
	}
	if c.isSelf(in.AgentID) && !either(in.Background, true) {
		c.finish(nil, errSelf)
		return
	}
	c.load(in.AgentID, func() {
		c.setMode(in.AgentID, in.SessionMode, func() {
			c.deliver(agentcore.SendRequest{AgentID: in.AgentID, Prompt: agentcore.Prompt{Text: in.Prompt}, Policy: policy}, in.After)
		})
	})
}

func (c *call) policy(behavior string) (agentcore.Policy, error) {
	if behavior == "" {
		return c.server.opts.Policy, nil
	}
	policy, ok := agentcore.PresetNamed(behavior)
	if !ok {
		return policy, fmt.Errorf("behavior: there is no %q; use replace, steer, steer-no-wait or queue", behavior)
	}
	policy.OnLost = c.server.opts.Policy.OnLost
	return policy, nil
}

// load opens the agent if it is closed.
func (c *call) load(id string, next func()) {
	begin(c, agentcore.LoadRequest{AgentID: id}, func(agentcore.Agent) { next() })
}

func (c *call) setMode(id, mode string, next func()) {
	if mode == "" {
		next()
		return
	}
	begin(c, agentcore.SetRequest{AgentID: id, Name: "mode", Value: mode}, func(string) { next() })
}

// deliver sends, and arranges what follows.
func (c *call) deliver(r agentcore.SendRequest, after After) {
	background := either(after.Background, c.Caller != "")
	notify := either(after.NotifyOnFinish, background) && c.Caller != "" && c.Caller != r.AgentID
	begin(c, r, func(got agentcore.SendResult) {
		if notify {
			c.server.notify(c.Caller, r.AgentID)
		}
		sent := Sent{Success: true, Disposition: string(got.Disposition)}
		if background {
			sent.Waited = Waited{AgentID: r.AgentID, Status: c.lifecycle(r.AgentID)}
			c.finish(sent, nil)
			return
		}
		c.await(r.AgentID, func(w Waited) {
			sent.Waited = w
			c.finish(sent, nil)
		})
	})
}

func either(set *bool, usual bool) bool {
	if set != nil {
		return *set
	}
	return usual
}

func (c *call) lifecycle(id string) string {
	a, _ := c.server.opts.Manager.Get(id)
	return string(a.Lifecycle)
}

// CreateArgs are the arguments of create_agent.
type CreateArgs struct {
	Title         string            `json:"title,omitempty" jsonschema:"what to call it"`
	Cwd           string            `json:"cwd,omitempty" jsonschema:"absolute path of its folder; the caller's when left out"`
	Provider      string            `json:"provider,omitempty" jsonschema:"the caller's when left out"`
	Model         string            `json:"model,omitempty"`
	Mode          string            `json:"mode,omitempty" jsonschema:"permission mode"`
	Thinking      string            `json:"thinking,omitempty" jsonschema:"reasoning effort"`
	InitialPrompt string            `json:"initialPrompt,omitempty" jsonschema:"what to tell it first"`
	Labels        map[string]string `json:"labels,omitempty"`
	After
}

// ParentLabel is the label that tells who created an agent.
const ParentLabel = "parent"

func (c *call) create(in CreateArgs) {
	r := agentcore.CreateRequest{Title: in.Title, Labels: in.Labels, Config: agentcore.SessionConfig{
		Cwd: in.Cwd, Provider: in.Provider, Model: in.Model, Mode: in.Mode, Thinking: in.Thinking,
	}}
	r, err := c.complete(r)
	if err != nil {
		c.finish(nil, err)
		return
	}
	begin(c, r, func(a agentcore.Agent) {
		if strings.TrimSpace(in.InitialPrompt) == "" {
			c.finish(Sent{Success: true, Waited: Waited{AgentID: a.ID, Status: string(a.Lifecycle)}}, nil)
			return
		}
		c.deliver(agentcore.SendRequest{AgentID: a.ID, Prompt: agentcore.Prompt{Text: in.InitialPrompt}}, in.After)
	})
}

func (c *call) complete(r agentcore.CreateRequest) (agentcore.CreateRequest, error) {
	if caller, ok := c.server.opts.Manager.Get(c.Caller); ok {
		r.Config.Cwd = or(r.Config.Cwd, caller.Config.Cwd)
		r.Config.Provider = or(r.Config.Provider, caller.Config.Provider)
		labels := map[string]string{ParentLabel: c.Caller}
		for k, v := range r.Labels {
			labels[k] = v
		}
		r.Labels = labels
	}
	if h := c.server.opts.Create; h != nil {
		return h(c.Caller, r)
	}
	return r, nil
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
