package agentcore

// Request is something asked of the manager, by Manager.Begin. What Pending
// gives in the end stands beside each.
type Request interface{ agent() string }

// The requests. AgentID is the agent's UUID.
type (
	// CreateRequest makes an agent and opens its session. Result: Agent.
	CreateRequest struct {
		AgentID string // empty: a new one
		Config  SessionConfig
		Title   string
		Labels  map[string]string
		// Resume, when not nil, is the conversation to go on with; its history
		// becomes the beginning of the timeline.
		Resume *Handle
	}
	// LoadRequest opens an agent that is known and closed. Result: Agent.
	LoadRequest struct {
		AgentID string
		// HistoryOnly opens the session for reading; no turn can start.
		HistoryOnly bool
		// Config, when not nil, is overlaid over what is recorded: the fields
		// that are not empty.
		Config *SessionConfig
	}
	// SendRequest delivers a prompt as Policy says. Result: SendResult, once
	// the text is accepted and its row (or, held, its place in the queue) is
	// durable. What becomes of it later, Pending.Fate tells.
	SendRequest struct {
		AgentID string
		Prompt  Prompt
		// ClientID names the message; empty: a new one. One id is sent once.
		ClientID string
		Policy   Policy
		Options  RunOptions
		// ClearPermissions has open permission requests denied once the text
		// is accepted into a running turn.
		ClearPermissions bool
	}
	// RunRequest sends and waits for the end of the turn that took the text.
	// Without a policy it is refused while something runs. Result: RunResult.
	RunRequest struct{ SendRequest }
	// WithdrawRequest takes back a queued prompt. Result: nil.
	WithdrawRequest struct{ AgentID, ClientID string }
	// InterruptRequest ends what is running. Result: InterruptResult.
	InterruptRequest struct{ AgentID string }
	// CompactRequest asks for a manual compaction. Result: nil, when the
	// session has agreed.
	CompactRequest struct{ AgentID string }
	// RespondRequest answers a permission request. Result: nil.
	RespondRequest struct {
		AgentID, Permission string
		Response            PermissionResponse
	}
	// SetRequest changes a setting: "mode", "model", "thinking" or a feature.
	// Result: a notice for the user (string), may be empty.
	SetRequest struct {
		AgentID, Name string
		Value         any
	}
	// RawRequest calls the provider's own protocol. Result: its answer.
	RawRequest struct {
		AgentID, Method string
		Params          any
	}
	// ForkRequest copies the conversation at the provider. Result: Handle.
	ForkRequest struct{ AgentID string }
	// ReloadRequest closes the session and resumes the conversation in a new
	// one. Result: Agent.
	ReloadRequest struct {
		AgentID string
		// Rehydrate reads the timeline anew from the provider's history.
		Rehydrate bool
		// Config as in LoadRequest.
		Config *SessionConfig
	}
	// HydrateRequest reads the provider's history if that was not done yet, or
	// anew when Force is set. Result: nil.
	HydrateRequest struct {
		AgentID string
		Force   bool
	}
	// CloseRequest ends the session; the agent stays known. Result: nil.
	CloseRequest struct{ AgentID string }
	// ArchiveRequest marks an agent as archived and closes it; once that is
	// done its children (see ParentLabel) follow. Result: nil.
	ArchiveRequest struct {
		AgentID string
		parent  string // only if it is still this one's child
	}
	// UnarchiveRequest undoes an ArchiveRequest; one that is open for reading is
	// closed. Its children stay as they are. Result: bool, whether it was archived.
	UnarchiveRequest struct{ AgentID string }
	// DeleteRequest removes a closed agent and all that is kept of it.
	// Result: nil.
	DeleteRequest struct{ AgentID string }
	// WaitRequest waits for something to happen. Result: WaitResult.
	WaitRequest struct {
		AgentID string
		For     WaitFor
	}
	// EditRequest changes what the manager itself keeps, of closed agents as
	// well. Result: Agent.
	EditRequest struct {
		AgentID        string
		Title          string            // blank: unchanged
		Labels         map[string]string // merged; an empty value deletes
		ClearAttention bool
		MarkUnread     bool // of an agent that is finished and read
	}
	// AppendRequest adds a row. Result: timeline.Row.
	AppendRequest struct {
		AgentID string
		Item    Item
	}
)

func (r CreateRequest) agent() string    { return r.AgentID }
func (r LoadRequest) agent() string      { return r.AgentID }
func (r SendRequest) agent() string      { return r.AgentID }
func (r WithdrawRequest) agent() string  { return r.AgentID }
func (r InterruptRequest) agent() string { return r.AgentID }
func (r CompactRequest) agent() string   { return r.AgentID }
func (r RespondRequest) agent() string   { return r.AgentID }
func (r SetRequest) agent() string       { return r.AgentID }
func (r RawRequest) agent() string       { return r.AgentID }
func (r ForkRequest) agent() string      { return r.AgentID }
func (r ReloadRequest) agent() string    { return r.AgentID }
func (r HydrateRequest) agent() string   { return r.AgentID }
func (r CloseRequest) agent() string     { return r.AgentID }
func (r ArchiveRequest) agent() string   { return r.AgentID }
func (r UnarchiveRequest) agent() string { return r.AgentID }
func (r DeleteRequest) agent() string    { return r.AgentID }
func (r WaitRequest) agent() string      { return r.AgentID }
func (r EditRequest) agent() string      { return r.AgentID }
func (r AppendRequest) agent() string    { return r.AgentID }

// WaitFor is what a WaitRequest waits for.
type WaitFor string

// What can be waited for.
const (
	// WaitStart: the turn that was asked for has started.
	WaitStart WaitFor = "start"
	// WaitEvent: nothing runs, or a permission is asked for.
	WaitEvent WaitFor = "event"
	// WaitActive: as WaitEvent, once something has run.
	WaitActive WaitFor = "active"
)

// Disposition is what became of a send.
type Disposition string

// The dispositions.
const (
	Started   Disposition = "started"
	Steered   Disposition = "steered"
	Queued    Disposition = "queued"
	OutOfBand Disposition = "out_of_band"
)

// SendResult is the result of a SendRequest.
type SendResult struct {
	Disposition Disposition
	Turn        string // empty when queued or out of band
	ClientID    string
	Seq         int64 // of the user row; 0 when queued
}

// RunResult is the result of a RunRequest.
type RunResult struct {
	SendResult
	Status    TurnStatus
	FinalText string // the last piece of what the assistant said
	Items     []Item // all that the turn put on the timeline
	Usage     *Usage
}

// InterruptResult is the result of an InterruptRequest.
type InterruptResult struct {
	// Outcome is not_running or settled. A session that does not acknowledge
	// the interrupt makes it a *RefusedError.
	Outcome string
}

// WaitResult is the result of a WaitRequest.
type WaitResult struct {
	Status      Lifecycle
	Permission  *PermissionRequest
	LastMessage string
}

// Fate is what became in the end of an accepted text.
type Fate string

// The fates.
const (
	FateDelivered   Fate = "delivered"   // the provider has it in its history
	FateUndelivered Fate = "undelivered" // the provider dropped it
	FateWithdrawn   Fate = "withdrawn"   // its sender took it back
	FateUnknown     Fate = "unknown"     // the turn ended and the provider did not say
)
