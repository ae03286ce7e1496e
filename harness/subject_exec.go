package harness

import (
	"bytes"
	"encoding/json"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/internal/proc"
)

// codexExec is the subject "exec": `codex exec --json` for each prompt. Its events
// become the turn's rows.
type codexExec struct{ env *Env }

func (c codexExec) spec(a *agent, p prompt) (proc.Spec, error) {
	return proc.Spec{
		Path: c.env.codex.Binary, Args: []string{"exec", "--json", "--skip-git-repo-check", p.text},
		Dir: c.env.workspace(), Mark: c.env.work.Mark(), Env: a.home.Environ(),
	}, nil
}

// input: the prompt is an argument, and codex would take input as one more.
func (c codexExec) input(prompt) []byte { return nil }

// execEvent is a line of codex's output.
type execEvent struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Error   struct {
		Message string `json:"message"`
	} `json:"error"`
	Item struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Text    string `json:"text"`
		Message string `json:"message"`
		Status  string `json:"status"`
	} `json:"item"`
	Usage *struct {
		Input  int64 `json:"input_tokens"`
		Cached int64 `json:"cached_input_tokens"`
		Output int64 `json:"output_tokens"`
	} `json:"usage"`
}

func (c codexExec) line(t *programTurn, line []byte) {
	var ev execEvent
	if json.Unmarshal(line, &ev) != nil {
		t.row(eventlog.Row{Kind: "error", Text: "codex exec wrote a line that is no event: " + string(line)})
		return
	}
	c.env.log.Append(t.agent.name, eventlog.FromCodex{Line: bytes.Clone(line)})
	switch ev.Type {
	case "item.started", "item.completed":
		t.execItem(ev)
	case "error":
		t.fault = ev.Message
		c.env.log.Append(t.agent.name, eventlog.Notice{Level: "error", Text: ev.Message})
	case "turn.failed":
		t.fault = ev.Error.Message
	case "turn.completed":
		if u := ev.Usage; u != nil {
			t.usage = map[string]int64{"input": u.Input, "cached": u.Cached, "output": u.Output, "total": u.Input + u.Output}
		}
	}
}

func (t *programTurn) execItem(ev execEvent) {
	it, done := ev.Item, ev.Type == "item.completed"
	row := eventlog.Row{Item: it.ID, Text: it.Text}
	switch it.Type {
	case "agent_message":
		row.Kind = "assistant"
	case "reasoning":
		row.Kind = "thought"
	case "error": // a warning: what fails the turn has an event of its own
		t.subject.env.log.Append(t.agent.name, eventlog.Notice{Level: "warning", Text: it.Message})
		return
	default:
		row.Kind, row.Name, row.Text, row.Status = "tool", it.Type, "", toolStatus(it.Status)
		t.row(row)
		return
	}
	if done {
		t.row(row)
	}
}

func toolStatus(status string) string {
	if status == "in_progress" {
		return "running"
	}
	return status
}
