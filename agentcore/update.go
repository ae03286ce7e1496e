package agentcore

import "github.com/heldstream/heldstream/agentcore/timeline"

// Update is something that subscribers are told: StateChanged, RowAppended,
// RowChanged, Streamed, Undelivered,
// TimelineReplaced or QueueChanged.
type Update interface{ AgentID() string }

// The updates.
type (
	// StateChanged: something of the agent's state is new.
	StateChanged struct{ Agent Agent }
	// RowAppended: the timeline has one more row.
	RowAppended struct {
		Agent, Epoch string
		Row          timeline.Row
	}
	// RowChanged: a row says something else than before.
	RowChanged struct {
		Agent, Epoch string
		Row          timeline.Row
	}
	// Streamed: an event of the session that has passed the state machine; of
	// the items only what became no row.
	Streamed struct {
		Agent string
		Event Event
	}
	// Undelivered: the provider dropped a text that it had accepted. Resend says that
	// it is sent once more.
	Undelivered struct {
		Agent, ClientID, Text, Turn string
		Resend                      bool
	}
	// TimelineReplaced: all rows are void and others follow.
	TimelineReplaced struct{ Agent, Epoch string }
	// QueueChanged: prompts that wait for their turn.
	QueueChanged struct {
		Agent  string
		Queued []timeline.Held
	}
)

// AgentID is the agent that it is about.
func (u StateChanged) AgentID() string     { return u.Agent.ID }
func (u RowAppended) AgentID() string      { return u.Agent } // as above
func (u RowChanged) AgentID() string       { return u.Agent } // as above
func (u Streamed) AgentID() string         { return u.Agent } // as above
func (u Undelivered) AgentID() string      { return u.Agent } // as above
func (u TimelineReplaced) AgentID() string { return u.Agent } // as above
func (u QueueChanged) AgentID() string     { return u.Agent } // as above
