package timeline

// Kind says what an Item is.
type Kind string

// The kinds of items.
const (
	User       Kind = "user"
	Assistant  Kind = "assistant"
	Thought    Kind = "thought"
	Tool       Kind = "tool"
	Compaction Kind = "compaction"
	Error      Kind = "error"
	Todo       Kind = "todo"
)

// Status of a tool call or a compaction. Texts have none.
type Status string

// The statuses. A compaction is Running (shown as "started"), Completed or
// Aborted; a tool call Running, Completed, Failed or Canceled.
const (
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
	Canceled  Status = "canceled"
	Aborted   Status = "aborted"
)

// Item is one thing that was said or done. Which fields have a meaning depends
// on Kind.
type Item struct {
	Kind  Kind   `json:"kind"`
	ID    string `json:"id,omitempty"`    // the provider's item or call id
	Text  string `json:"text,omitempty"`  // user, assistant, thought, error
	Final bool   `json:"final,omitempty"` // assistant, thought: nothing more comes for this ID

	ClientID string `json:"clientId,omitempty"` // user: the sender's message id
	State    string `json:"state,omitempty"`    // user: "", queued, undelivered, withdrawn

	Name   string  `json:"name,omitempty"` // tool
	Status Status  `json:"status,omitempty"`
	Error  string  `json:"error,omitempty"` // tool, when failed
	Detail *Detail `json:"detail,omitempty"`

	Trigger string     `json:"trigger,omitempty"` // compaction: auto, manual
	Todos   []TodoItem `json:"todos,omitempty"`
}

// TodoItem is one line of a plan.
type TodoItem struct {
	Text   string `json:"text"`
	Status string `json:"status"` // pending, in_progress, completed
}

// Detail is what a tool call did. Kind says which fields have a meaning: shell,
// read, edit, write, search, fetch, sub_agent, text, plan or unknown.
type Detail struct {
	Kind     string `json:"kind"`
	Command  string `json:"command,omitempty"`
	Cwd      string `json:"cwd,omitempty"`
	Output   string `json:"output,omitempty"`
	ExitCode *int   `json:"exitCode,omitempty"`
	Path     string `json:"path,omitempty"`
	Content  string `json:"content,omitempty"`
	Diff     string `json:"diff,omitempty"`
	Query    string `json:"query,omitempty"`
	URL      string `json:"url,omitempty"`
	Text     string `json:"text,omitempty"`
	Child    string `json:"child,omitempty"` // sub_agent: its thread
	Input    any    `json:"input,omitempty"`
	Result   any    `json:"result,omitempty"`
}
