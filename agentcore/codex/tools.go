package codex

import (
	"encoding/json"
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
	Arguments        any
	Result           any
	ContentItems     any
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

// statusWords are those that the versions of codex use; any other word means
// that the call runs.
var statusWords = map[string]timeline.Status{
	"failed": timeline.Failed, "failure": timeline.Failed, "error": timeline.Failed, "errored": timeline.Failed,
	"rejected": timeline.Failed, "denied": timeline.Failed, "declined": timeline.Failed,
	"canceled": timeline.Canceled, "cancelled": timeline.Canceled, "interrupted": timeline.Canceled, "aborted": timeline.Canceled,
	"completed": timeline.Completed, "complete": timeline.Completed, "done": timeline.Completed,
	"success": timeline.Completed, "succeeded": timeline.Completed,
}

func toolStatus(w wireItem, done bool) timeline.Status {
	status, known := statusWords[strings.ToLower(w.Status)]
	switch {
	case w.Type == "collabAgentToolCall" && len(w.AgentsStates) > 0:
		return collabStatus(w)
	case w.Error != nil:
		return timeline.Failed
	case known:
		return status
	case w.Status == "" && (done || w.AggregatedOutput != nil || w.Result != nil):
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

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
