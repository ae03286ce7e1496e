package codex

import (
	"errors"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
)

var errGoal = errors.New("usage: /goal set TEXT, /goal pause, /goal resume or /goal clear")

// command carries out /goal. With a goal codex begins turns of its own until it
// has reached it. Versions without goals refuse.
func (m *machine) command(id agentcore.CallID, op agentcore.Command) {
	word, text, _ := strings.Cut(op.Args, " ")
	text = strings.TrimSpace(text)
	method, params := "thread/goal/set", map[string]any{"threadId": m.thread}
	switch {
	case m.req.HistoryOnly:
		m.answer(id, nil, errHistoryOnly)
		return
	case word == "set" && text != "":
		params["objective"], params["status"] = text, "active"
	case word == "pause" && text == "":
		params["status"] = "paused"
	case word == "resume" && text == "":
		params["status"] = "active"
	case word == "clear" && text == "":
		method = "thread/goal/clear"
	default:
		m.answer(id, nil, errGoal)
		return
	}
	m.request(method, params, func(r reply) { m.answer(id, nil, r.err) })
}
