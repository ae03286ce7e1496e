package agentcore

import (
	"strings"
	"time"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// Item is an item of the timeline.
type Item = timeline.Item

// Prompt is what is sent to an agent: text, with pictures and other things.
type Prompt struct {
	Text     string
	Images   []Image
	Attached []Attachment
}

// refuse says what is wrong with a prompt of at most limit bytes.
func (p Prompt) refuse(limit int) error {
	switch {
	case p.size() > limit:
		return saying("Prompt has %d bytes, the limit is %d: send less", p.size(), limit)
	case p.empty():
		return saying("Prompt is empty")
	}
	for i, a := range p.Attached {
		switch a.Kind {
		case "text":
			if strings.TrimSpace(a.Text) == "" {
				return saying("Attachment %d is a text that is empty: leave it out", i+1)
			}
		case "skill", "mention":
			if a.Path == "" {
				return saying("Attachment %d is a %s without a path: say where it is", i+1, a.Kind)
			}
		default:
			return saying("Attachment %d is a %.40q: attach a text, skill or mention", i+1, a.Kind)
		}
	}
	return nil
}

func (p Prompt) empty() bool {
	return strings.TrimSpace(p.Text) == "" && len(p.Images) == 0 && len(p.Attached) == 0
}

// size is how many bytes of text it has.
func (p Prompt) size() int {
	n := len(p.Text)
	for _, a := range p.Attached {
		n += len(a.Text)
	}
	return n
}

// Image is a picture in a prompt.
type Image = timeline.Image

// Attachment is something else that goes along with a prompt.
type Attachment = timeline.Attachment

// RunOptions are options of one turn.
type RunOptions struct {
	OutputSchema any `json:"outputSchema,omitempty"`
}

// RuntimeInfo is what a session says of itself.
type RuntimeInfo struct {
	Provider  string `json:"provider"`
	SessionID string `json:"sessionId,omitempty"`
	Model     string `json:"model,omitempty"`
	Mode      string `json:"modeId,omitempty"`
	Thinking  string `json:"thinkingOptionId,omitempty"`
	Version   string `json:"version,omitempty"`
}

// Capabilities are what a session can do.
type Capabilities struct {
	Steer, Modes, MCP, Features, Compact, Fork bool
	// Commands are the slash commands, beside /compact, that it takes outside
	// of its turns; without the slash.
	Commands []string
}

// Mode is a permission mode that a session offers.
type Mode struct{ ID, Label string }

// Usage is a count of tokens; nil fields are unknown.
type Usage struct {
	Input, CachedInput, Output, Total *int64
	ContextUsed, ContextMax           *int64
}

// PermissionRequest is a question that a session waits for.
type PermissionRequest struct {
	ID          string
	Name        string
	Kind        string // tool, plan, question, mode, other
	Title       string
	Description string
	Input       any
	Item        string // id of the timeline item that it is about
	Questions   []Question
}

// Question is one part of a permission request of kind question.
type Question struct {
	ID, Header, Text string
	Options          []string
}

// PermissionResponse answers a PermissionRequest.
type PermissionResponse struct {
	Allow     bool
	Message   string
	Interrupt bool                // with a denial: end the turn as well
	Answers   map[string][]string // by question id or header
}

// Clock is the manager's only source of time. The timers have names: interrupt,
// settle, rescue, start, steer, close, shutdown, coalesce.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once in a goroutine of its own after d, unless stop is
	// called first.
	AfterFunc(name string, d time.Duration, f func()) (stop func())
}
