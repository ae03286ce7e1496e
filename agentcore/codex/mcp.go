package codex

import (
	"strings"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

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
