package agentcore

import (
	"errors"
	"fmt"
	"strings"
)

// Errors that callers tell apart with errors.Is.
var (
	ErrNotFound = errors.New("agent not found")
	// ErrShuttingDown refuses new work.
	ErrShuttingDown = errors.New("the agent manager is shutting down")
	// ErrSuperseded: a later replace came before this one could start.
	ErrSuperseded = errors.New("superseded by a later prompt")
	// ErrAmbiguous: it is not known whether a steer was delivered.
	ErrAmbiguous = errors.New("steer was not acknowledged")
	// ErrClosed: the agent has no session.
	ErrClosed = errors.New("closed")
)

// Error is an error with a text for people and a kind for errors.Is.
type Error struct {
	Kind error
	Text string
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Kind }

// saying is an error for people; it begins with a capital letter, as the
// callers of such a manager expect.
func saying(format string, args ...any) error {
	return &Error{Text: fmt.Sprintf(format, args...)}
}

// RefusedError says that a running turn could not be interrupted, and that
// nothing has changed.
type RefusedError struct{ Action, AgentID string }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("Cannot %s agent %s because its active run cancellation was not acknowledged", e.Action, e.AgentID)
}

func errUnknown(id string) error {
	return &Error{ErrNotFound, fmt.Sprintf("Unknown agent '%s'", id)}
}

func errNoSession(id string) error {
	return &Error{ErrClosed, fmt.Sprintf("Agent '%s' has no managed session", id)}
}

// turnText is how a turn's failure reads to people.
func turnText(e TurnEnded) string {
	text := e.Error
	if text == "" {
		text = "Provider run failed"
	}
	parts := []string{text}
	if e.Code != "" && !strings.Contains(text, e.Code) {
		parts = append(parts, "code: "+e.Code)
	}
	if e.Detail != "" && !strings.Contains(text, e.Detail) {
		parts = append(parts, e.Detail)
	}
	return strings.Join(parts, "\n\n")
}
