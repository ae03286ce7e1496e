package mcp

import (
	"fmt"

	"github.com/heldstream/heldstream/agentcore"
)

// notify sends the caller one message once the agent has finished or failed, or
// asks for permission. It must be called inside the manager, when the agent has
// its prompt: an agent that is idle then has finished already.
func (s *Server) notify(caller, agent string) {
	s.opts.Manager.BeginFunc(agentcore.WaitRequest{AgentID: agent, For: agentcore.WaitEvent}, func(result any, err error) {
		w, _ := result.(agentcore.WaitResult)
		if _, alive := s.opts.Manager.Get(caller); err != nil || !alive || s.down() {
			return // of an agent that was closed there is nothing to tell
		}
		steer, _ := agentcore.PresetNamed("steer")
		s.opts.Manager.Begin(agentcore.SendRequest{
			AgentID: caller, Policy: steer, Prompt: agentcore.Prompt{Text: SystemText(s.news(agent, w))},
		})
	})
}

// news says how an agent stands.
func (s *Server) news(id string, w agentcore.WaitResult) string {
	name := "Agent " + id
	a, _ := s.opts.Manager.Get(id)
	if a.Title != "" {
		name += " (" + a.Title + ")"
	}
	switch {
	case w.Permission != nil:
		return fmt.Sprintf("%s asks for permission %s: %s", name, w.Permission.ID, w.Permission.Title)
	case w.Status == agentcore.Failed:
		return fmt.Sprintf("%s has failed: %s", name, firstLine(a.LastError))
	case w.LastMessage == "":
		return name + " has finished and said nothing."
	}
	return fmt.Sprintf("%s has finished. Its last message:\n%s", name, w.LastMessage)
}
