package interact

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
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

func (b block) opt(key, other string) string {
	if v, ok := b.opts[key]; ok {
		return v
	}
	return other
}
