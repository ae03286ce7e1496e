package interact

import (
	"errors"
	"strconv"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

func readOpened(c *command) error {
	c.opens, c.event = true, agentcore.Opened{Handle: agentcore.Handle{Provider: "script", SessionID: c.or(1, "thread-1")}}
	return nil
}

func readStarted(c *command) error {
	c.begins = c.or(1, "")
	c.event = agentcore.TurnStarted{Turn: c.begins}
	return nil
}

func readEnded(c *command) error {
	e := agentcore.TurnEnded{Turn: c.or(1, ""), Status: agentcore.TurnStatus(c.or(2, "completed")), Error: c.opts["error"], Code: c.opts["code"]}
	if e.Turn == "-" {
		e.Turn = ""
	}
	if d := c.opts["dropped"]; d != "" {
		e.Dropped = strings.Split(d, ",")
	}
	c.event, c.ends, c.turn = e, e.Turn, e.Turn
	return nil
}

func (c *command) item(i agentcore.Item) error {
	c.turn = c.opts["turn"]
	c.event = agentcore.ItemUpdated{Turn: c.turn, Item: i}
	return nil
}

func readText(c *command) error {
	id, err := c.word(1, "an item")
	if err != nil {
		return err
	}
	kind := timeline.Kind(c.opt("kind", "assistant"))
	return c.item(agentcore.Item{Kind: kind, ID: id, Text: c.or(2, ""), Final: c.opts["final"] != ""})
}

func readTool(c *command) error {
	id, err := c.word(1, "an item")
	if err != nil {
		return err
	}
	item := agentcore.Item{Kind: timeline.Tool, ID: id, Name: c.opt("name", "shell"), Status: timeline.Status(c.or(2, "running"))}
	if out := c.opts["output"]; out != "" {
		item.Detail = &timeline.Detail{Kind: "shell", Output: out}
	}
	return c.item(item)
}

func readCompaction(c *command) error {
	id, err := c.word(1, "an item")
	if err != nil {
		return err
	}
	return c.item(agentcore.Item{Kind: timeline.Compaction, ID: id, Status: timeline.Status(c.or(2, "running"))})
}

func readUser(c *command) error {
	id, err := c.word(1, "an item")
	if err != nil {
		return err
	}
	return c.item(agentcore.Item{Kind: timeline.User, ID: id, Text: c.or(2, ""), ClientID: c.opts["id"]})
}

func readTaken(c *command) error {
	id, err := c.word(1, "a message id")
	c.turn = c.opts["turn"]
	c.event = agentcore.Taken{Turn: c.turn, ClientID: id, ItemID: c.or(2, "item-"+id)}
	return err
}

func readAsk(c *command) error {
	id, err := c.word(1, "an id")
	c.turn = c.opts["turn"]
	c.event = agentcore.PermissionRequested{Turn: c.turn, Request: agentcore.PermissionRequest{ID: id, Kind: "tool"}}
	return err
}

func readResolved(c *command) error {
	id, err := c.word(1, "an id")
	c.event = agentcore.PermissionResolved{Request: id, Response: agentcore.PermissionResponse{Allow: c.opts["allow"] != ""}}
	return err
}

func readUsage(c *command) error {
	text, err := c.word(1, "a number")
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	c.event = agentcore.UsageUpdated{Turn: c.opts["turn"], Usage: agentcore.Usage{Total: &n}}
	return err
}

func readChanged(c *command) error {
	if len(c.words) < 3 {
		return errors.New("changed: a name and a value are missing")
	}
	c.event = agentcore.SettingChanged{Name: c.words[1], Value: c.words[2]}
	return nil
}

func readNotice(c *command) error {
	c.event = agentcore.Notice{Level: c.opt("level", "warning"), Text: c.or(1, "")}
	return nil
}

func readExit(c *command) error {
	e := agentcore.Exited{}
	if text := c.or(1, ""); text != "" {
		e.Err = errors.New(text)
	}
	c.event = e
	return nil
}

func readAnswer(c *command) error {
	text, err := c.word(1, "a number")
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(text)
	c.event = agentcore.Answer{Call: agentcore.CallID(n)}
	return err
}

func readTick(c *command) error {
	name, err := c.word(1, "a timer")
	c.timer = name
	return err
}
