// Package jsonrpc frames the JSON-RPC dialect of `codex app-server`: one
// object a line, without the version member. It only reads and writes
// messages; who waits for which reply is the caller's business, because the
// order of messages on the wire is what its users are about.
package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Kind tells messages apart.
type Kind int

// The kinds of messages.
const (
	Request Kind = iota
	Notification
	Reply
)

func (k Kind) String() string {
	return [...]string{"request", "notification", "reply"}[k]
}

// Message is one line. Which fields are set depends on the kind.
type Message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// Error is the error member of a reply.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// The error codes that peers use.
const (
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	InternalError  = -32603
)

var errShape = errors.New("neither request, notification nor reply")

// Parse reads one line. It refuses what is none of the three kinds.
func Parse(line []byte) (Message, error) {
	var m Message
	if err := json.Unmarshal(line, &m); err != nil {
		return Message{}, fmt.Errorf("no JSON-RPC message: %w", err)
	}
	if m.Method == "" && (m.ID == nil || m.Result == nil && m.Error == nil) {
		return Message{}, fmt.Errorf("no JSON-RPC message: %w", errShape)
	}
	return m, nil
}

// Kind says what the message is.
func (m Message) Kind() Kind {
	switch {
	case m.Method == "":
		return Reply
	case m.ID == nil:
		return Notification
	default:
		return Request
	}
}

// Line is the message as it goes on the wire, without a line end.
func (m Message) Line() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // texts stay readable in logs, and as they were sent
	if err := enc.Encode(m); err != nil {
		// Only raw members that are no JSON can fail, and those were made here.
		panic("jsonrpc: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Raw is v as a member of a message.
func Raw(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
