package plan

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tidwall/gjson"
)

// Bounds of a rollout that FromRollout reads.
const (
	maxRolloutLine    = 16 << 20
	maxRolloutReplies = 2_000
)

// FromRollout makes a scenario that plays the conversation of a codex rollout:
// its prompts as steps, its answers as replies. Secrets, people and paths are
// replaced, and so are shell commands: a recording is no reason to run them.
func FromRollout(in io.Reader) ([]byte, error) {
	c := &conversation{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxRolloutLine)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("line %d is no record of a rollout: %w; give a rollout-….jsonl of a codex home", n, err)
		}
		c.record(r)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("the rollout cannot be read: %w", err)
	}
	c.endTurn()
	if len(c.prompts) == 0 {
		return nil, fmt.Errorf("the rollout has no prompt of a user; give one with a conversation")
	}
	if len(c.answers) > maxRolloutReplies {
		return nil, fmt.Errorf("the rollout has %d answers, more than the %d that fit a scenario; cut it", len(c.answers), maxRolloutReplies)
	}
	return c.write(), nil
}

type record struct {
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// item is the payload of a response_item.
type item struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   []textPart      `json:"content"`
	Summary   []textPart      `json:"summary"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Arguments json.RawMessage `json:"arguments"`
	Input     string          `json:"input"`
}

type textPart struct {
	Text string `json:"text"`
}

func texts(parts []textPart) string {
	var list []string
	for _, p := range parts {
		if p.Text != "" {
			list = append(list, p.Text)
		}
	}
	return strings.Join(list, "\n")
}

// conversation is what was said, in order.
type conversation struct {
	prompts []string // "": a compaction
	answers []answer
	open    *answer // not yet ended
	asked   bool    // a prompt waits for its answer
	cwd     string
}

type answer struct {
	compaction bool
	think, say []string
	calls      []string // TOML tables
}

func (c *conversation) record(r record) {
	switch r.Type {
	case "session_meta", "turn_context":
		c.cwd = orElse(c.cwd, gjson.GetBytes(r.Payload, "cwd").Str)
	case "compacted":
		c.endTurn()
		c.prompts = append(c.prompts, "")
		c.answers = append(c.answers, answer{compaction: true, say: []string{"SUMMARY"}})
	case "response_item":
		var p item
		if json.Unmarshal(r.Payload, &p) == nil { // items of other forms say nothing that we play
			c.item(p)
		}
	}
}

func (c *conversation) item(p item) {
	switch {
	case p.Type == "message" && p.Role == "user":
		c.prompt(texts(p.Content))
	case p.Type == "message" && p.Role == "assistant":
		c.current().say = append(c.current().say, texts(p.Content))
	case p.Type == "reasoning" && len(p.Summary) > 0:
		c.current().think = append(c.current().think, texts(p.Summary))
	case p.Type == "function_call" || p.Type == "custom_tool_call":
		c.current().calls = append(c.current().calls, c.call(p))
	case strings.HasSuffix(p.Type, "_output"):
		c.endAnswer()
	}
}

// prompt takes what a user wrote; codex's own context comes as a user too.
func (c *conversation) prompt(text string) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || isTagged(trimmed) || strings.HasPrefix(trimmed, "# AGENTS.md") {
		return
	}
	c.endTurn()
	c.prompts = append(c.prompts, text)
	c.asked = true
}

// isTagged says that a text is one element, as codex writes context.
func isTagged(text string) bool {
	tag, _, found := strings.Cut(strings.TrimPrefix(text, "<"), ">")
	return found && strings.HasPrefix(text, "<") && strings.HasSuffix(text, "</"+tag+">")
}

func (c *conversation) current() *answer {
	if c.open == nil {
		c.open = &answer{}
	}
	return c.open
}

func (c *conversation) endAnswer() {
	if c.open != nil {
		c.answers = append(c.answers, *c.open)
		c.asked = len(c.open.calls) > 0
	}
	c.open = nil
}

// endTurn gives a prompt, or tool outputs, that nobody answered an answer.
func (c *conversation) endTurn() {
	c.endAnswer()
	if c.asked {
		c.answers = append(c.answers, answer{say: []string{"(no answer was recorded)"}})
	}
	c.asked = false
}

// call is a tool call as TOML, with a harmless command.
func (c *conversation) call(p item) string {
	var b strings.Builder
	b.WriteString("{ tool = " + tomlValue(p.Name))
	if p.Namespace != "" {
		b.WriteString(", namespace = " + tomlValue(p.Namespace))
	}
	if p.Type == "custom_tool_call" {
		return b.String() + ", input = " + tomlValue(c.safe(p.Input)) + " }"
	}
	return b.String() + ", args = " + tomlValue(c.args(p.Arguments)) + " }"
}

func (c *conversation) args(raw json.RawMessage) any {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	var args map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // 1000000 must not become 1e+06
	if d.Decode(&args) != nil {
		return map[string]any{}
	}
	return c.safeValue(args)
}

func (c *conversation) write() []byte {
	var b strings.Builder
	b.WriteString("# Made from a codex rollout. Secrets, people and paths are replaced, and shell\n" +
		"# commands by \"true\": put back what matters.\n\nabout = \"A recorded conversation.\"\n\n")
	for _, a := range c.answers {
		c.writeAnswer(&b, a)
	}
	turns := 0
	for _, p := range c.prompts {
		turns++
		if p == "" {
			b.WriteString("[[step]]\ncompact = true\n[[step]]\nawait = { state = \"idle\" }\n\n")
		} else {
			b.WriteString("[[step]]\nrun = " + tomlText(c.safe(p)) + "\n\n")
		}
	}
	fmt.Fprintf(&b, "[expect]\nturns = %d\n", turns)
	return []byte(b.String())
}

func (c *conversation) writeAnswer(b *strings.Builder, a answer) {
	b.WriteString("[[reply]]\n")
	if a.compaction {
		b.WriteString("to    = \"compaction\"\ntimes = 1\n")
	} else {
		b.WriteString("to    = \"turn\"\ntimes = 1\n")
	}
	for _, part := range []struct{ key, text string }{{"think", strings.Join(a.think, "\n")}, {"say", strings.Join(a.say, "\n\n")}} {
		if part.text != "" {
			fmt.Fprintf(b, "%-5s = %s\n", part.key, tomlText(c.safe(part.text)))
		}
	}
	if len(a.calls) > 0 {
		b.WriteString("call  = [\n  " + strings.Join(a.calls, ",\n  ") + ",\n]\n")
	}
	b.WriteString("\n")
}
