package harness

import (
	"encoding/json"

	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/harness/eventlog"
)

// toolCall is a call of one of the manager's tools, with the line that says that
// it waits.
type toolCall struct {
	text string
	line *line
}

// called: a call stands where it was answered. One that still waits at the end
// of the section in which it came stands there too.
func (l *lanes) called(agent string, b eventlog.AgentCalled) {
	c := &toolCall{text: b.Tool + " " + string(sorted(b.Args))}
	c.line = l.add("calls "+agent, func() string { return c.text + " waits" })
	l.calls[agent+" "+b.ID] = c
}

// sorted gives the members of an object an order: a tape does not keep the
// model's.
func sorted(args json.RawMessage) json.RawMessage {
	if s, err := tape.Canonical(args); err == nil {
		return s
	}
	return args
}

func (l *lanes) answered(agent string, b eventlog.AgentAnswered) {
	key := agent + " " + b.ID
	c := l.calls[key]
	if c == nil {
		return
	}
	delete(l.calls, key)
	if l.inThisSection(c.line) {
		c.line.open = true
	}
	l.add("calls "+agent, func() string {
		if b.Error != "" {
			return c.text + " -> error: " + b.Error
		}
		return c.text + " -> " + string(b.Result)
	})
}
