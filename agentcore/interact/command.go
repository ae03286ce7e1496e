package interact

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// agentID is the agent of every transcript.
const agentID = "00000000-0000-4000-8000-000000000001"

// command is an input that is ready to be played, any number of times.
type command struct {
	block
	request agentcore.Request // of a caller
	event   agentcore.Event   // of the session
	opens   bool              // the event opens the session
	answers string            // kind of call that it answers
	value   any
	err     error
	nth     int    // of the calls of that kind that are open
	timer   string // that runs out
	turn    string // that must be open for the input to make sense
	begins  string // turn that the provider begins with it
	ends    string // turn that it ends
	special string // of the player's own: state, store
}

// verb reads the words of one kind of input.
type verb struct {
	usage string
	read  func(*command) error
}

var verbs map[string]verb

func init() {
	verbs = map[string]verb{
		"create":     {"create [resume=THREAD] [title=T] [parent=ID] [internal=yes]: make the agent; its session opens at once unless opened=no", readCreate},
		"load":       {"load: open the agent again", simple(agentcore.LoadRequest{AgentID: agentID})},
		"send":       {"send TEXT [PRESET] [id=ID] [lost=resend] [unavailable=F] [notsteerable=F] [run=yes]", readSend},
		"run":        {"run TEXT: send to an idle agent and wait for the turn's end", readRun},
		"withdraw":   {"withdraw ID: take a queued prompt back", readWithdraw},
		"interrupt":  {"interrupt: end what runs", simple(agentcore.InterruptRequest{AgentID: agentID})},
		"compact":    {"compact: a manual compaction", simple(agentcore.CompactRequest{AgentID: agentID})},
		"close":      {"close", simple(agentcore.CloseRequest{AgentID: agentID})},
		"archive":    {"archive", simple(agentcore.ArchiveRequest{AgentID: agentID})},
		"unarchive":  {"unarchive", simple(agentcore.UnarchiveRequest{AgentID: agentID})},
		"reload":     {"reload [rehydrate=yes]", readReload},
		"hydrate":    {"hydrate [force=yes]", readHydrate},
		"fork":       {"fork", simple(agentcore.ForkRequest{AgentID: agentID})},
		"raw":        {"raw METHOD", readRaw},
		"respond":    {"respond ID allow|deny", readRespond},
		"set":        {"set NAME VALUE", readSet},
		"edit":       {"edit [title=T] [label=K:V] [clear=yes] [unread=yes]", readEdit},
		"wait":       {"wait start|event|active", readWait},
		"append":     {"append TEXT: add an assistant row", readAppend},
		"opened":     {"opened [THREAD]: the session is open", readOpened},
		"ack":        {"ack KIND [VALUE] [nth=N]: the session answers a call: start, steer, interrupt, compact, close, respond, set, history, fork, raw", readAck},
		"reject":     {"reject KIND TEXT | unavailable[:REASON[:KIND]] | stale [nth=N]", readReject},
		"started":    {"started TURN: the provider began a turn", readStarted},
		"ended":      {"ended TURN completed|interrupted|failed [error=T] [code=C] [dropped=ID,ID]", readEnded},
		"text":       {"text ITEM TEXT [final=yes] [turn=T] [kind=thought]: the assistant goes on", readText},
		"tool":       {"tool ITEM STATUS [name=N] [output=T] [turn=T]", readTool},
		"compaction": {"compaction ITEM STATUS [turn=T]", readCompaction},
		"user":       {"user ITEM TEXT [id=CLIENT] [turn=T]: the provider shows a text", readUser},
		"taken":      {"taken ID [ITEM] [turn=T]: the text is in the provider's history", readTaken},
		"ask":        {"ask ID [turn=T]: a permission request", readAsk},
		"resolved":   {"resolved ID [allow=yes]", readResolved},
		"usage":      {"usage N [turn=T]", readUsage},
		"changed":    {"changed NAME VALUE: the session itself changed a setting", readChanged},
		"notice":     {"notice TEXT", readNotice},
		"exit":       {"exit [TEXT]: the session is gone", readExit},
		"answer":     {"answer CALL: a successful answer to a call that need not be open", readAnswer},
		"tick":       {"tick TIMER: it runs out", readTick},
		"state":      {"state: show the agent", special},
		"queue":      {"queue: show what is queued", special},
		"store":      {"store hold|release|fail: what becomes of what is to be stored", special},
	}
}

// Usage is a line for each input that a transcript knows.
func Usage() []string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(verbs)) {
		lines = append(lines, verbs[name].usage)
	}
	return lines
}

func newCommand(b block) (command, error) {
	c := command{block: b}
	v, ok := verbs[b.words[0]]
	if !ok {
		return c, fmt.Errorf("no such input: %s (there are %s)", b.words[0], strings.Join(slices.Sorted(maps.Keys(verbs)), ", "))
	}
	if err := v.read(&c); err != nil {
		return c, fmt.Errorf("%w; usage: %s", err, v.usage)
	}
	return c, nil
}

func simple(r agentcore.Request) func(*command) error {
	return func(c *command) error { c.request = r; return nil }
}

func special(c *command) error { c.special = c.words[0]; return nil }

func readCreate(c *command) error {
	r := agentcore.CreateRequest{
		AgentID: agentID, Title: c.opts["title"], Config: agentcore.SessionConfig{Provider: "script", Cwd: "/work", Internal: c.opts["internal"] != ""},
	}
	if parent := c.opts["parent"]; parent != "" {
		r.Labels = map[string]string{agentcore.ParentLabel: parent}
	}
	if thread := c.opts["resume"]; thread != "" {
		r.Resume = &agentcore.Handle{Provider: "script", SessionID: thread}
	}
	c.request, c.opens = r, c.opts["opened"] != "no"
	return nil
}

func readSend(c *command) error {
	text, err := c.word(1, "a text")
	if err != nil {
		return err
	}
	policy, ok := agentcore.PresetNamed(c.or(2, "steer"))
	if !ok {
		return fmt.Errorf("no preset %q", c.words[2])
	}
	policy.OnLost = agentcore.Lost(c.opts["lost"])
	if f := c.opts["unavailable"]; f != "" {
		policy.OnUnavailable = agentcore.Fallback(f)
	}
	if f := c.opts["notsteerable"]; f != "" {
		policy.OnNotSteerable = agentcore.Fallback(f)
	}
	r := agentcore.SendRequest{AgentID: agentID, Prompt: agentcore.Prompt{Text: text}, ClientID: c.opt("id", text), Policy: policy}
	c.request = r
	if c.opts["run"] != "" {
		c.request = agentcore.RunRequest{SendRequest: r}
	}
	return nil
}

func readRun(c *command) error {
	text, err := c.word(1, "a text")
	c.request = agentcore.RunRequest{SendRequest: agentcore.SendRequest{
		AgentID: agentID, Prompt: agentcore.Prompt{Text: text}, ClientID: c.opt("id", text),
	}}
	return err
}

func (b block) opt(key, other string) string {
	if v, ok := b.opts[key]; ok {
		return v
	}
	return other
}

func readWithdraw(c *command) error {
	id, err := c.word(1, "a message id")
	c.request = agentcore.WithdrawRequest{AgentID: agentID, ClientID: id}
	return err
}

func readReload(c *command) error {
	c.request = agentcore.ReloadRequest{AgentID: agentID, Rehydrate: c.opts["rehydrate"] != ""}
	return nil
}

func readHydrate(c *command) error {
	c.request = agentcore.HydrateRequest{AgentID: agentID, Force: c.opts["force"] != ""}
	return nil
}

func readRaw(c *command) error {
	method, err := c.word(1, "a method")
	c.request = agentcore.RawRequest{AgentID: agentID, Method: method}
	return err
}

func readRespond(c *command) error {
	id, err := c.word(1, "an id")
	c.request = agentcore.RespondRequest{AgentID: agentID, Permission: id, Response: agentcore.PermissionResponse{Allow: c.or(2, "allow") == "allow"}}
	return err
}

func readSet(c *command) error {
	if len(c.words) < 3 {
		return errors.New("set: a name and a value are missing")
	}
	c.request = agentcore.SetRequest{AgentID: agentID, Name: c.words[1], Value: c.words[2]}
	return nil
}

func readEdit(c *command) error {
	r := agentcore.EditRequest{AgentID: agentID, Title: c.opts["title"], ClearAttention: c.opts["clear"] != "", MarkUnread: c.opts["unread"] != ""}
	if key, value, ok := strings.Cut(c.opts["label"], ":"); ok {
		r.Labels = map[string]string{key: value}
	}
	c.request = r
	return nil
}

func readWait(c *command) error {
	what, err := c.word(1, "start, event or active")
	c.request = agentcore.WaitRequest{AgentID: agentID, For: agentcore.WaitFor(what)}
	return err
}

func readAppend(c *command) error {
	text, err := c.word(1, "a text")
	c.request = agentcore.AppendRequest{AgentID: agentID, Item: agentcore.Item{Kind: timeline.Assistant, Text: text}}
	return err
}

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
