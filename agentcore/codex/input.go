package codex

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
)

// inputOf is a prompt as codex takes it. Pictures go along as data URLs, so
// that no file has to outlive the call.
func inputOf(p agentcore.Prompt) []map[string]any {
	input := []map[string]any{}
	for _, a := range p.Attached {
		if a.Kind == "skill" || a.Kind == "mention" {
			input = append(input, map[string]any{"type": a.Kind, "name": a.Name, "path": a.Path})
		}
	}
	text := textOf(p)
	if text != "" || len(input)+len(p.Images) == 0 {
		input = append(input, map[string]any{"type": "text", "text": text, "text_elements": []any{}})
	}
	for _, img := range p.Images {
		url := "data:" + img.MIME + ";base64," + base64.StdEncoding.EncodeToString(img.Data)
		input = append(input, map[string]any{"type": "image", "url": url})
	}
	return input
}

// textOf is the text that the model reads: the prompt's own and what is
// attached, each after a blank line.
func textOf(p agentcore.Prompt) string {
	var parts []string
	if p.Text != "" {
		parts = append(parts, p.Text)
	}
	for _, a := range p.Attached {
		if a.Kind == "text" && a.Text != "" {
			parts = append(parts, a.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// strictSchema is an output schema as the Responses API demands it: no object
// takes further properties, and every property is required.
func strictSchema(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = strictSchema(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = strictSchema(e)
		}
		if props, ok := out["properties"].(map[string]any); ok {
			out["additionalProperties"] = false
			out["required"] = slices.Sorted(maps.Keys(props))
		}
		return out
	}
	return v
}
