package codex

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// toolItem is what the kinds of tool calls have, each its own part.
type toolItem struct {
	Status           string
	Error            *struct{ Message string }
	Command          json.RawMessage
	Cwd              string
	AggregatedOutput *string
	ExitCode         *int
	Changes          json.RawMessage
	Server, Tool     string
	Namespace        string
	Arguments        any
	Result           any
	ContentItems     any
	Success          *bool
	Query            string
	Prompt           string
	Path             string
	Receivers        []string `json:"receiverThreadIds"`
	AgentsStates     map[string]struct{ Status string }
	Name             string
	Output           any
}

// takeTool tells a tool call, as a whole each time.
func (m *machine) takeTool(turn string, w wireItem, done bool) {
	if w.ID == "" {
		return
	}
	item, ok := mapTool(w, done)
	if !ok {
		m.do(unknownEffect{"item", "of type " + w.Type})
		return
	}
	if old, ok := m.items.tools[w.ID]; ok && item.Detail.Output == "" {
		item.Detail.Output = old.item.Detail.Output
	}
	if item.Status == timeline.Running {
		m.items.tools[w.ID] = runningTool{turn, item}
	} else {
		delete(m.items.tools, w.ID)
	}
	m.announceChildren(turn, w, &item)
	m.emit(agentcore.ItemUpdated{Turn: turn, Item: item})
}

// mapTool turns codex's item into a row. Items that are no tool calls and
// have no row of their own report false.
func mapTool(w wireItem, done bool) (timeline.Item, bool) {
	item := timeline.Item{Kind: timeline.Tool, ID: w.ID, Final: done}
	switch w.Type {
	case "commandExecution":
		item.Name = "shell"
		item.Detail = &timeline.Detail{
			Kind: "shell", Command: unwrapCommand(w.Command), Cwd: w.Cwd,
			Output: outputBody(deref(w.AggregatedOutput)), ExitCode: w.ExitCode,
		}
	case "fileChange":
		item.Name = "apply_patch"
		item.Detail = changeDetail(w.Changes, done)
	case "mcpToolCall":
		item.Name = w.Server + "." + w.Tool
		item.Detail = mcpDetail(w)
	case "dynamicToolCall":
		item.Name = w.Tool
		item.Detail = &timeline.Detail{Kind: "unknown", Input: w.Arguments, Result: w.ContentItems}
	case "functionCallOutput":
		item.Name = w.Name
		item.Detail = &timeline.Detail{Kind: "unknown", Result: w.Output}
	case "webSearch":
		item.Name = "web_search"
		item.Detail = &timeline.Detail{Kind: "search", Query: w.Query}
	case "collabAgentToolCall":
		item.Name = "Sub-agent"
		item.Detail = &timeline.Detail{Kind: "sub_agent", Text: w.Prompt}
		if len(w.Receivers) > 0 {
			item.Detail.Child = w.Receivers[0]
		}
	case "imageView":
		item.Name = "view_image"
		item.Detail = &timeline.Detail{Kind: "read", Path: w.Path}
	case "imageGeneration", "sleep", "hookPrompt", "enteredReviewMode", "exitedReviewMode", "subAgentActivity":
		item.Name = w.Type
		item.Detail = &timeline.Detail{Kind: "unknown"}
	default:
		return item, false
	}
	item.Status = toolStatus(w, done)
	if item.Status == timeline.Failed {
		item.Error = "Tool call failed"
		if w.Error != nil && w.Error.Message != "" {
			item.Error = w.Error.Message
		}
	}
	return item, true
}

// toolStatus reads the words that the versions of codex use.
func toolStatus(w wireItem, done bool) timeline.Status {
	if w.Type == "collabAgentToolCall" && len(w.AgentsStates) > 0 {
		return collabStatus(w)
	}
	word := strings.ToLower(w.Status)
	switch {
	case w.Error != nil:
		return timeline.Failed
	case oneOf(word, "failed", "failure", "error", "errored", "rejected", "denied", "declined"):
		return timeline.Failed
	case oneOf(word, "canceled", "cancelled", "interrupted", "aborted"):
		return timeline.Canceled
	case oneOf(word, "completed", "complete", "done", "success", "succeeded"):
		return timeline.Completed
	case word != "":
		return timeline.Running
	case done, w.AggregatedOutput != nil, w.Result != nil:
		return timeline.Completed
	}
	return timeline.Running
}

func collabStatus(w wireItem) timeline.Status {
	counts := map[timeline.Status]int{}
	for _, s := range w.AgentsStates {
		counts[toolStatus(wireItem{toolItem: toolItem{Status: s.Status}}, false)]++
	}
	switch {
	case counts[timeline.Failed] > 0:
		return timeline.Failed
	case counts[timeline.Canceled] > 0:
		return timeline.Canceled
	case counts[timeline.Completed] == len(w.AgentsStates):
		return timeline.Completed
	}
	return timeline.Running
}

func oneOf(s string, words ...string) bool {
	for _, w := range words {
		if s == w {
			return true
		}
	}
	return false
}

var shellWrapper = regexp.MustCompile(`(?s)^(?:/usr)?(?:/bin/)?(?:bash|zsh|sh) -l?c (.+)$`)

// unwrapCommand is the command that was meant, without the shell that codex
// runs it in. It may be a string or a list.
func unwrapCommand(raw json.RawMessage) string {
	var list []string
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		if len(list) == 3 && shellWrapper.MatchString(list[0]+" "+list[1]+" x") {
			return list[2]
		}
		return strings.Join(list, " ")
	}
	var text string
	_ = json.Unmarshal(raw, &text)
	if m := shellWrapper.FindStringSubmatch(text); m != nil {
		return unquote(m[1])
	}
	return text
}

// unquote takes off one pair of shell quotes, if they hold the whole.
func unquote(s string) string {
	if len(s) < 2 {
		return s
	}
	inner := s[1 : len(s)-1]
	switch {
	case s[0] == '\'' && s[len(s)-1] == '\'' && !strings.Contains(strings.ReplaceAll(inner, `'\''`, ""), "'"):
		return strings.ReplaceAll(inner, `'\''`, "'")
	case s[0] == '"' && s[len(s)-1] == '"':
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\$`, `$`, "\\`", "`").Replace(inner)
	}
	return s
}

// outputBody is a command's output without the envelope that codex gives it
// for the model.
func outputBody(s string) string {
	if !strings.HasPrefix(s, "Chunk ID:") && !strings.HasPrefix(s, "Wall time:") {
		return s
	}
	if _, body, ok := strings.Cut(s, "\nOutput:\n"); ok {
		return body
	}
	return s
}

func mcpDetail(w wireItem) *timeline.Detail {
	args, _ := w.Arguments.(map[string]any)
	arg := func(names ...string) string {
		for _, n := range names {
			if s, ok := args[n].(string); ok {
				return s
			}
		}
		return ""
	}
	d := &timeline.Detail{Kind: "unknown", Input: w.Arguments, Result: w.Result}
	path := arg("path", "file_path", "filePath")
	name := strings.ToLower(w.Tool)
	switch {
	case path != "" && strings.Contains(name, "read"):
		d.Kind, d.Path, d.Content = "read", path, resultText(w.Result)
	case path != "" && strings.Contains(name, "write"):
		d.Kind, d.Path, d.Content = "write", path, arg("content")
	case path != "" && strings.Contains(name, "edit"):
		d.Kind, d.Path, d.Diff = "edit", path, cutDiff(arg("diff", "patch"))
	case strings.Contains(name, "search") && arg("query", "pattern") != "":
		d.Kind, d.Query = "search", arg("query", "pattern")
	}
	return d
}

// resultText joins the text parts of an MCP result.
func resultText(v any) string {
	result, _ := v.(map[string]any)
	parts, _ := result["content"].([]any)
	var texts []string
	for _, p := range parts {
		if part, ok := p.(map[string]any); ok {
			if s, ok := part["text"].(string); ok {
				texts = append(texts, s)
			}
		}
	}
	return strings.Join(texts, "\n")
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// maxOutput bounds the output that a running tool call collects, in bytes.
const maxOutput = 1 << 20

func (m *machine) outputDelta(n note) {
	m.toolGrows(n, func(d *timeline.Detail) {
		if len(d.Output) < maxOutput {
			d.Output += n.Delta
		}
	})
}

func (m *machine) patchUpdated(n note) {
	var p struct{ Changes json.RawMessage }
	if json.Unmarshal(n.raw, &p) != nil {
		return
	}
	m.toolGrows(n, func(d *timeline.Detail) { *d = *changeDetail(p.Changes, false) })
}

// toolGrows tells of a running tool call with more in its detail.
func (m *machine) toolGrows(n note, grow func(*timeline.Detail)) {
	t, ok := m.items.tools[n.ItemID]
	if !ok {
		return
	}
	d := *t.item.Detail // who was told of it keeps what he has
	grow(&d)
	t.item.Detail = &d
	m.items.tools[n.ItemID] = t
	m.emit(agentcore.ItemUpdated{Turn: n.turn(), Item: t.item})
}

// loseTools ends the calls that outlived their turns, and their process not.
func (m *machine) loseTools() {
	for _, id := range slices.Sorted(maps.Keys(m.items.tools)) {
		if t := m.items.tools[id]; m.turns.get(t.turn) == nil {
			t.item.Status, t.item.Final = timeline.Canceled, true
			m.emit(agentcore.ItemUpdated{Turn: t.turn, Item: t.item})
		}
	}
}

// terminalInput is what the model typed into a running process.
func (m *machine) terminalInput(n note) {
	var p struct{ ProcessID, Stdin string }
	_ = json.Unmarshal(n.raw, &p)
	m.emit(agentcore.ItemUpdated{Turn: n.turn(), Item: timeline.Item{
		Kind: timeline.Tool, ID: "terminal-session-" + p.ProcessID, Name: "terminal",
		Status: timeline.Completed, Final: true, Detail: &timeline.Detail{Kind: "text", Text: p.Stdin},
	}})
}

func (m *machine) planUpdated(n note) {
	if t := m.planning(n.turn()); t != nil {
		t.plan = planSteps(n.raw)
		return
	}
	var p struct {
		Plan []struct{ Step, Status string }
	}
	_ = json.Unmarshal(n.raw, &p)
	item := timeline.Item{Kind: timeline.Todo, ID: "plan-" + n.turn()}
	for _, s := range p.Plan {
		item.Todos = append(item.Todos, timeline.TodoItem{Text: s.Step, Status: todoStatus(s.Status)})
	}
	m.emit(agentcore.ItemUpdated{Turn: n.turn(), Item: item})
}

func todoStatus(s string) string {
	if s == "inProgress" {
		return "in_progress"
	}
	return s
}

// maxDiff bounds a diff in the timeline, in bytes.
const maxDiff = 12_000

func cutDiff(s string) string {
	if len(s) <= maxDiff {
		return s
	}
	cut := strings.ToValidUTF8(s[:maxDiff], "")
	return cut + fmt.Sprintf("\n...[truncated %d chars]", len(s)-len(cut))
}
