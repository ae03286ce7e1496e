package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
)

// AgentArgs name an agent.
type AgentArgs struct {
	AgentID string `json:"agentId" jsonschema:"id of the agent, a UUID"`
}

// Status is what get_agent_status and list_agents tell of an agent.
type Status struct {
	AgentID     string       `json:"agentId"`
	Title       string       `json:"title"`
	Status      string       `json:"status"`
	Queued      int          `json:"queued"`
	Permissions []Permission `json:"permissions"`
	LastError   string       `json:"lastError,omitempty"`
}

func (c *call) status(in AgentArgs) {
	if a, ok := c.server.opts.Manager.Get(in.AgentID); ok {
		c.finish(statusOf(a), nil)
		return
	}
	all, err := c.closedAgents(nil)
	i := slices.IndexFunc(all, func(s Status) bool { return s.AgentID == in.AgentID })
	if err == nil && i < 0 {
		err = fmt.Errorf("agentId: there is no agent %q; list_agents lists them", in.AgentID)
	}
	if err != nil {
		c.finish(nil, err)
		return
	}
	c.finish(all[i], nil)
}

func statusOf(a agentcore.Agent) Status {
	s := Status{AgentID: a.ID, Title: a.Title, Status: string(a.Lifecycle), Queued: len(a.Queued), Permissions: []Permission{}, LastError: firstLine(a.LastError)}
	for _, p := range a.Permissions {
		s.Permissions = append(s.Permissions, *permission(&p))
	}
	return s
}

// Listed is the result of list_agents.
type Listed struct {
	Agents []Status `json:"agents"`
}

func (c *call) list(struct{}) {
	live := c.server.opts.Manager.List()
	all, err := c.closedAgents(live)
	for _, a := range live {
		all = append(all, statusOf(a))
	}
	slices.SortFunc(all, func(x, y Status) int { return strings.Compare(x.AgentID, y.AgentID) })
	c.finish(Listed{all}, err)
}

// closedAgents are those that are stored and not live.
func (c *call) closedAgents(live []agentcore.Agent) ([]Status, error) {
	records, err := c.server.opts.Manager.Records()
	all := []Status{}
	for _, r := range records {
		if r.Config.Internal || slices.ContainsFunc(live, func(a agentcore.Agent) bool { return a.ID == r.ID }) {
			continue
		}
		all = append(all, Status{
			AgentID: r.ID, Title: r.Title, Status: string(agentcore.Closed), Permissions: []Permission{}, LastError: firstLine(r.LastError),
		})
	}
	return all, err
}

// Canceled is the result of cancel_agent.
type Canceled struct {
	Success bool   `json:"success"`
	Outcome string `json:"outcome"` // settled, not_running
}

func (c *call) cancel(in AgentArgs) {
	begin(c, agentcore.InterruptRequest{AgentID: in.AgentID}, func(r agentcore.InterruptResult) {
		c.finish(Canceled{true, r.Outcome}, nil)
	})
}

// RespondArgs are the arguments of respond_to_permission.
type RespondArgs struct {
	AgentID   string   `json:"agentId" jsonschema:"id of the agent, a UUID"`
	RequestID string   `json:"requestId" jsonschema:"id of the permission that it asks for"`
	Response  Response `json:"response"`
}

// Response allows or denies.
type Response struct {
	Behavior  string `json:"behavior" jsonschema:"allow or deny"`
	Message   string `json:"message,omitempty" jsonschema:"why, with deny"`
	Interrupt bool   `json:"interrupt,omitempty" jsonschema:"with deny: end the turn as well"`
}

// Done is the result of a call that has nothing else to say.
type Done struct {
	Success bool `json:"success"`
}

func (c *call) respond(in RespondArgs) {
	r := agentcore.PermissionResponse{Allow: in.Response.Behavior == "allow", Message: in.Response.Message, Interrupt: in.Response.Interrupt}
	if !r.Allow && in.Response.Behavior != "deny" {
		c.finish(nil, fmt.Errorf("response.behavior: there is no %q; use allow or deny", in.Response.Behavior))
		return
	}
	begin(c, agentcore.RespondRequest{AgentID: in.AgentID, Permission: in.RequestID, Response: r}, func(any) {
		c.finish(Done{true}, nil)
	})
}
