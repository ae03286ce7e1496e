package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The tools, by the names that are listed to the model.
const (
	CreateAgent         = "create_agent"
	SendAgentPrompt     = "send_agent_prompt"
	WaitForAgent        = "wait_for_agent"
	GetAgentStatus      = "get_agent_status"
	ListAgents          = "list_agents"
	CancelAgent         = "cancel_agent"
	RespondToPermission = "respond_to_permission"
)

func (s *Server) addTools(to *sdk.Server) {
	add(s, to, CreateAgent, "Creates an agent, and sends it a first prompt if there is one.", (*call).create)
	add(s, to, SendAgentPrompt, "Sends a prompt to an agent. In the background it returns once the agent has it; otherwise when the agent has ended its turn or asks for permission.", (*call).send)
	add(s, to, WaitForAgent, "Waits until an agent has nothing to do, or asks for permission.", (*call).wait)
	add(s, to, GetAgentStatus, "Tells what an agent is doing, and what it waits for.", (*call).status)
	add(s, to, ListAgents, "Lists all agents.", (*call).list)
	add(s, to, CancelAgent, "Interrupts what an agent is doing.", (*call).cancel)
	add(s, to, RespondToPermission, "Answers an agent's request for permission.", (*call).respond)
}

// add offers a tool. Its arguments are checked against In before run sees them;
// a fault names the argument.
func add[In any](s *Server, to *sdk.Server, name, about string, run func(*call, In)) {
	sdk.AddTool(to, &sdk.Tool{Name: name, Description: about},
		func(ctx context.Context, r *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
			a := s.serve(ctx, r, func(c *call) { run(c, in) })
			return nil, a.Result, a.Err
		})
}

// Waited is how an agent stood when a wait for it was over.
type Waited struct {
	AgentID     string      `json:"agentId"`
	Status      string      `json:"status"`
	Permission  *Permission `json:"permission"`
	LastMessage *string     `json:"lastMessage"`
	Error       string      `json:"error,omitempty"`
	// TimedOut: it is not over; Activity is what the agent did last.
	TimedOut bool     `json:"timedOut,omitempty"`
	Activity []string `json:"activity,omitempty"`
}

// Permission is what an agent asks for.
type Permission struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Title string `json:"title"`
}
