package codex

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// response is a record of what was said to or by the model.
type response struct {
	Type      string
	ID        string
	Role      string
	Content   json.RawMessage
	Summary   []struct{ Text string }
	Name      string
	Arguments string
	Input     string
	CallID    string `json:"call_id"`
	Output    json.RawMessage
}

func (b *rolloutReader) response(raw json.RawMessage, at time.Time) {
	var r response
	if json.Unmarshal(raw, &r) != nil {
		return
	}
	switch r.Type {
	case "message":
		b.message(r, at)
	case "reasoning":
		var texts []string
		for _, s := range r.Summary {
			texts = append(texts, s.Text)
		}
		b.text(timeline.Thought, r.ID, strings.Join(texts, "\n\n"), at)
	case "function_call", "custom_tool_call":
		b.call(r, at)
	case "function_call_output", "custom_tool_call_output":
		b.output(r.CallID, outputText(r.Output))
	}
}

func (b *rolloutReader) message(r response, at time.Time) {
	text := contentText(r.Content)
	switch r.Role {
	case "user":
		if !synthetic(text) {
			b.text(timeline.User, r.ID, text, at)
		}
	case "assistant":
		b.text(timeline.Assistant, r.ID, text, at)
	}
}

// event is the older way of saying the same; repeats are left out.
func (b *rolloutReader) event(raw json.RawMessage, at time.Time) {
	var e struct{ Type, Message, Text string }
	if json.Unmarshal(raw, &e) != nil {
		return
	}
	switch e.Type {
	case "user_message":
		if !synthetic(e.Message) {
			b.text(timeline.User, "", e.Message, at)
		}
	case "agent_message":
		b.text(timeline.Assistant, "", e.Message, at)
	case "agent_reasoning":
		b.text(timeline.Thought, "", e.Text, at)
	}
}

// synthetic are user messages that codex makes itself.
func synthetic(text string) bool {
	for _, start := range []string{
		"# AGENTS.md instructions", "<environment_context>", "<user_instructions>", "<turn_aborted>",
	} {
		if strings.HasPrefix(strings.TrimSpace(text), start) {
			return true
		}
	}
	return false
}

func (b *rolloutReader) text(kind timeline.Kind, id, text string, at time.Time) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if n := len(b.items); n > 0 && b.items[n-1].Item.Kind == kind && b.items[n-1].Item.Text == text {
		return
	}
	b.add(timeline.Item{Kind: kind, ID: id, Text: text, Final: true}, at)
}

func (b *rolloutReader) add(item timeline.Item, at time.Time) {
	b.items = append(b.items, agentcore.HistoryItem{Item: item, At: at})
}

func (b *rolloutReader) compacted(at time.Time) {
	b.add(timeline.Item{
		Kind: timeline.Compaction, ID: fmt.Sprintf("compacted-%d", len(b.items)), Status: timeline.Completed, Final: true,
	}, at)
}

func (b *rolloutReader) call(r response, at time.Time) {
	if r.CallID == "" {
		return
	}
	item := timeline.Item{
		Kind: timeline.Tool, ID: r.CallID, Name: r.Name, Status: timeline.Completed, Final: true,
		Detail: &timeline.Detail{Kind: "unknown", Input: r.Arguments},
	}
	var args map[string]any
	_ = json.Unmarshal([]byte(r.Arguments), &args)
	switch r.Name {
	case "exec_command", "shell", "shell_command", "container.exec":
		item.Name = "shell"
		item.Detail = &timeline.Detail{Kind: "shell", Command: commandOf(args), Cwd: stringOf(args["workdir"])}
	case "write_stdin":
		item.Name = "terminal"
		label := b.sessions[fmt.Sprint(args["session_id"])]
		item.Detail = &timeline.Detail{Kind: "text", Command: label, Text: stringOf(args["chars"])}
	case "apply_patch":
		patch := r.Input
		if patch == "" {
			patch = stringOf(args["input"])
		}
		item.Detail = &timeline.Detail{Kind: "edit", Path: patchedFile(patch), Diff: cutDiff(fromEnvelope(patch))}
	}
	b.calls[r.CallID] = len(b.items)
	b.add(item, at)
}

func stringOf(v any) string {
	s, _ := v.(string)
	return s
}

func commandOf(args map[string]any) string {
	for _, key := range []string{"cmd", "command"} {
		if v, ok := args[key]; ok {
			raw, _ := json.Marshal(v)
			return unwrapCommand(raw)
		}
	}
	return ""
}

var patchFile = regexp.MustCompile(`(?m)^\*\*\* (?:Add|Update|Delete) File: (.+)$`)

func patchedFile(patch string) string {
	if m := patchFile.FindStringSubmatch(patch); m != nil {
		return m[1]
	}
	return ""
}

var (
	runningSession = regexp.MustCompile(`Process running with session ID (\d+)`)
	exitedWith     = regexp.MustCompile(`Process exited with code (-?\d+)`)
)

// output joins a call with what came of it.
func (b *rolloutReader) output(callID, text string) {
	i, ok := b.calls[callID]
	if !ok {
		return
	}
	d := *b.items[i].Item.Detail
	if m := runningSession.FindStringSubmatch(text); m != nil {
		b.sessions[m[1]] = d.Command
	}
	if m := exitedWith.FindStringSubmatch(text); m != nil {
		var code int
		if _, err := fmt.Sscan(m[1], &code); err == nil {
			d.ExitCode = &code
		}
	}
	d.Output = outputBody(text)
	b.items[i].Item.Detail = &d
}

// outputText reads the shapes of an output: a text, a list of parts, or an
// object with either.
func outputText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		var inner struct{ Output *string }
		if json.Unmarshal([]byte(text), &inner) == nil && inner.Output != nil {
			return *inner.Output // old versions put JSON into the text
		}
		return text
	}
	var object struct{ Content, Output json.RawMessage }
	if json.Unmarshal(raw, &object) == nil {
		if object.Content != nil {
			return outputText(object.Content)
		}
		if object.Output != nil {
			return outputText(object.Output)
		}
	}
	return contentText(raw)
}

func contentText(raw json.RawMessage) string {
	var parts []struct{ Text string }
	_ = json.Unmarshal(raw, &parts)
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
