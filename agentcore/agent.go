package agentcore

import (
	"time"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// Lifecycle is what an agent is doing.
type Lifecycle string

// The lifecycles.
const (
	Initializing Lifecycle = "initializing"
	Idle         Lifecycle = "idle"
	Running      Lifecycle = "running"
	Failed       Lifecycle = "error"
	Closed       Lifecycle = "closed"
)

// Agent is what the manager knows of an agent at one moment.
type Agent struct {
	ID           string
	Lifecycle    Lifecycle
	Config       SessionConfig
	Info         RuntimeInfo
	Capabilities Capabilities
	Modes        []Mode
	Handle       *Handle
	Title        string
	Labels       map[string]string

	CreatedAt, UpdatedAt time.Time
	LastUserMessageAt    time.Time

	// Turn is the open turn, ours or the provider's own; Foreground says that
	// it is ours. Starting: a turn was asked for and has not begun.
	Turn       string
	Foreground bool
	Starting   bool
	// Replacing: the turn that is ending makes room for another.
	Replacing bool

	Permissions []PermissionRequest
	Queued      []timeline.Held // prompts that wait for their turn, in order
	Usage       *Usage
	LastError   string
	Attention   *Attention
}

// ParentLabel is the label with the id of the agent that an agent is a child
// of. Children are archived with it and call for nobody's attention.
const ParentLabel = "parent"

// Attention says why somebody should look at an agent.
type Attention struct {
	Reason string    `json:"reason"` // finished, error, permission
	At     time.Time `json:"at"`
}

// Busy says whether something runs, starts or waits to run.
func (a *Agent) Busy() bool {
	return a.Lifecycle == Initializing || a.Lifecycle == Running || a.Starting || len(a.Queued) > 0
}

// Record is what is kept of an agent on disk, besides its timeline.
type Record struct {
	ID                string            `json:"id"`
	Provider          string            `json:"provider"`
	Cwd               string            `json:"cwd"`
	CreatedAt         time.Time         `json:"createdAt"`
	UpdatedAt         time.Time         `json:"updatedAt"`
	LastUserMessageAt time.Time         `json:"lastUserMessageAt,omitzero"`
	Title             string            `json:"title,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	LastStatus        Lifecycle         `json:"lastStatus"`
	Config            SessionConfig     `json:"config"`
	Info              *RuntimeInfo      `json:"runtimeInfo,omitempty"`
	Handle            *Handle           `json:"persistence,omitempty"`
	LastError         string            `json:"lastError,omitempty"`
	Attention         *Attention        `json:"attention,omitempty"`
	ArchivedAt        *time.Time        `json:"archivedAt,omitempty"`
}

// RecordStore keeps records. Its methods are called from several goroutines,
// but one at a time for one agent.
type RecordStore interface {
	// Load reads one record; the error is ErrNotFound when there is none.
	Load(id string) (Record, error)
	List() ([]Record, error)
	// Save returns when the record is durable.
	Save(Record) error
	Delete(id string) error
}

// TimelineStore keeps timelines, as RecordStore keeps records.
type TimelineStore interface {
	// Load reads all of a timeline; one that is not there is empty.
	Load(agentID string) (timeline.Timeline, error)
	// Append returns when the entries are durable. Entries of an Append that
	// failed are written before those of the next.
	Append(agentID string, entries []timeline.Entry) error
	Delete(agentID string) error
}
