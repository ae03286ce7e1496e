package agentcore

import "time"

// Provider opens sessions. Package agentcore/codex has the one for Codex.
type Provider interface {
	// Open starts a session and returns at once; what comes of it arrives at
	// sink, first an Opened or an Exited.
	Open(OpenRequest, Sink) Session
}

// Sink takes what happens to a session, in the provider's order. It does not
// block and may be called from any goroutine, one call at a time.
type Sink func(Event)

// Session is one conversation with a provider.
type Session interface {
	// Do hands over a call and returns at once. Each call is answered by
	// exactly one Answer with its id, unless an Exited comes first. Answers and
	// events come through the same Sink, so that their order is the
	// provider's own.
	Do(Call)
}

// OpenRequest says what to open.
type OpenRequest struct {
	AgentID string
	Config  SessionConfig
	// Resume, when not nil, names the conversation to go on with.
	Resume *Handle
	// Unused says that nobody has ever said anything in that conversation. A
	// provider that has not kept it may begin a new one.
	Unused bool
	// HistoryOnly opens the session to read its history; no turn can start.
	HistoryOnly bool
}

// SessionConfig is what a session is created with.
type SessionConfig struct {
	Provider           string            `json:"provider"`
	Cwd                string            `json:"cwd"`
	Model              string            `json:"model,omitempty"`
	Mode               string            `json:"modeId,omitempty"`
	Thinking           string            `json:"thinkingOptionId,omitempty"`
	SystemPrompt       string            `json:"systemPrompt,omitempty"`
	AppendSystemPrompt string            `json:"-"` // at launch only, never stored
	Features           map[string]any    `json:"featureValues,omitempty"`
	Title              string            `json:"title,omitempty"`
	MCPServers         map[string]any    `json:"mcpServers,omitempty"`
	Options            map[string]any    `json:"providerOptions,omitempty"`
	Env                map[string]string `json:"-"` // at launch only, never stored
	Internal           bool              `json:"internal,omitempty"`
}

// Handle names a conversation at its provider, to resume it by.
type Handle struct {
	Provider  string         `json:"provider"`
	SessionID string         `json:"sessionId"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

// CallID tells the calls of one session apart.
type CallID int

// Call is something asked of a session.
type Call struct {
	ID CallID
	Op Op
}

// Op is what a Call asks for: StartTurn, SteerTurn, InterruptTurn, Compact,
// Command, Respond, Set, ReadHistory, Fork, Raw or CloseSession.
type Op interface{ op() }

// The operations of a session.
type (
	// StartTurn begins a turn. Answer.Value is the turn's id (string).
	StartTurn struct {
		Prompt   Prompt
		ClientID string
		Options  RunOptions
	}
	// SteerTurn adds input to the running turn Turn. A definite refusal is an
	// Answer with Err of type *Unavailable; any other Err is ambiguous.
	SteerTurn struct {
		Turn             string
		Prompt           Prompt
		ClientID         string
		ClearPermissions bool
	}
	// InterruptTurn ends whatever turn is running or starting. It succeeds
	// when nothing runs.
	InterruptTurn struct{ Turn string }
	// Compact asks for a manual compaction.
	Compact struct{}
	// Command is a slash command of Capabilities.Commands, and what stood
	// behind it.
	Command struct{ Name, Args string }
	// Respond answers a permission request.
	Respond struct {
		Request  string
		Response PermissionResponse
	}
	// Set changes a setting: "mode", "model", "thinking" or a feature's name.
	// Answer.Value is a notice for the user (string), or nil.
	Set struct {
		Name  string
		Value any
	}
	// ReadHistory asks for all that was said. Answer.Value is []HistoryItem.
	ReadHistory struct{}
	// Fork copies the conversation. Answer.Value is a Handle.
	Fork struct{}
	// Raw calls the provider's own protocol. Answer.Value is its result.
	Raw struct {
		Method string
		Params any
	}
	// CloseSession releases the runtime; history stays with the provider.
	CloseSession struct{}
)

func (StartTurn) op()     {}
func (SteerTurn) op()     {}
func (InterruptTurn) op() {}
func (Compact) op()       {}
func (Command) op()       {}
func (Respond) op()       {}
func (Set) op()           {}
func (ReadHistory) op()   {}
func (Fork) op()          {}
func (Raw) op()           {}
func (CloseSession) op()  {}

// Unavailable is a definite refusal of a steer: the text was not taken.
type Unavailable struct {
	// Reason is no_turn, id_mismatch, not_steerable, unsupported, slash_command
	// or not_identified.
	Reason string
	// Kind, with not_steerable, says what runs: compact, review …
	Kind    string
	Message string
}

func (u *Unavailable) Error() string { return u.Message }

// StaleSession is an error of StartTurn: this runtime no longer knows its
// conversation. The manager reopens it and tries once more.
type StaleSession struct{ Message string }

func (s *StaleSession) Error() string { return s.Message }

// HistoryItem is one entry of a provider's history.
type HistoryItem struct {
	Item Item
	At   time.Time
}

// Event is something that happened to a session: Opened, Answer, TurnStarted,
// TurnEnded, ItemUpdated, Taken, UsageUpdated, PermissionRequested,
// PermissionResolved, SettingChanged, Notice or Exited.
type Event interface{ event() }

// The events of a session. Turn is the provider's turn id; it may be empty
// where the provider does not say.
type (
	// Opened: the session can take calls.
	Opened struct {
		Handle       Handle
		Info         RuntimeInfo
		Capabilities Capabilities
		Modes        []Mode
		Pending      []PermissionRequest
	}
	// Answer ends a call.
	Answer struct {
		Call  CallID
		Value any
		Err   error
	}
	// TurnStarted: the provider has begun a turn, ours or one of its own.
	TurnStarted struct{ Turn string }
	// TurnEnded: Status is completed, interrupted or failed. Dropped are the
	// client ids of accepted texts that the provider did not take into its
	// history.
	TurnEnded struct {
		Turn    string
		Status  TurnStatus
		Error   string
		Code    string
		Detail  string
		Usage   *Usage
		Dropped []string

		presumed bool // by the manager: the session did not say so, and may yet
	}
	// ItemUpdated: an item of the timeline began, grew or ended. Text items
	// carry what is new; tool calls and compactions carry all of themselves.
	ItemUpdated struct {
		Turn string
		Item Item
	}
	// Taken: the provider has put the text with this client id into its
	// history, as item ItemID.
	Taken struct {
		Turn, ClientID, ItemID string
	}
	// UsageUpdated: the latest token figures.
	UsageUpdated struct {
		Turn  string
		Usage Usage
	}
	// PermissionRequested: the provider waits for an answer.
	PermissionRequested struct {
		Turn    string
		Request PermissionRequest
	}
	// PermissionResolved: it waits no more. Canceled: nobody answered, its
	// turn ended or the provider withdrew it.
	PermissionResolved struct {
		Turn, Request string
		Response      PermissionResponse
		Canceled      bool
	}
	// SettingChanged: the session itself changed mode, model or thinking; a
	// feature, to true or false; or its id at the provider ("session"), when a
	// conversation that held nothing was begun anew.
	SettingChanged struct{ Name, Value string }
	// Notice is a message for the user that is no item: a warning, or an
	// error; Retry says that the provider tries again by itself.
	Notice struct {
		Turn  string
		Level string // warning, error
		Text  string
		Code  string
		Retry bool
	}
	// Exited: the session is gone. Nothing follows.
	Exited struct {
		Err    error // nil after CloseSession
		Stderr string
	}
)

func (Opened) event()              {}
func (Answer) event()              {}
func (TurnStarted) event()         {}
func (TurnEnded) event()           {}
func (ItemUpdated) event()         {}
func (Taken) event()               {}
func (UsageUpdated) event()        {}
func (PermissionRequested) event() {}
func (PermissionResolved) event()  {}
func (SettingChanged) event()      {}
func (Notice) event()              {}
func (Exited) event()              {}

// TurnStatus is how a turn ended.
type TurnStatus string

// The ends of a turn.
const (
	TurnCompleted   TurnStatus = "completed"
	TurnInterrupted TurnStatus = "interrupted"
	TurnFailed      TurnStatus = "failed"
)
