package interact

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

func readAck(c *command) error {
	kind, err := c.word(1, "a kind of call")
	if err != nil {
		return err
	}
	c.answers = kind
	switch value := c.or(2, ""); kind {
	case "start":
		c.value, c.begins = value, value
	case "history":
		c.value = history(c.words[2:])
	case "fork":
		c.value = agentcore.Handle{Provider: "script", SessionID: value}
	default:
		if value != "" {
			c.value = value
		}
	}
	return c.readNth()
}

// history is a list of texts: the user's and the assistant's in turn.
func history(texts []string) []agentcore.HistoryItem {
	items := make([]agentcore.HistoryItem, len(texts))
	for i, t := range texts {
		kind := timeline.User
		if i%2 == 1 {
			kind = timeline.Assistant
		}
		items[i].Item = agentcore.Item{Kind: kind, ID: fmt.Sprintf("h%d", i+1), Text: t}
	}
	return items
}

func (c *command) readNth() (err error) {
	if n, ok := c.opts["nth"]; ok {
		c.nth, err = strconv.Atoi(n)
		c.nth--
	}
	return err
}

func readReject(c *command) error {
	kind, err := c.word(1, "a kind of call")
	if err != nil {
		return err
	}
	c.answers = kind
	text := c.or(2, "no")
	parts := append(strings.Split(text, ":"), "", "")
	switch parts[0] {
	case "stale":
		c.err = &agentcore.StaleSession{Message: "the conversation is not known"}
	case "unavailable":
		reason := parts[1]
		if reason == "" {
			reason = "no_turn"
		}
		c.err = &agentcore.Unavailable{Reason: reason, Kind: parts[2], Message: "not now: " + reason}
	default:
		c.err = errors.New(text)
	}
	return c.readNth()
}
