package codex

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// change is one file of a patch.
type change struct{ path, kind, diff string }

// changeDetail shows the first file of a patch. Without anything to show it
// is an unknown detail once the call is over.
func changeDetail(raw json.RawMessage, done bool) *timeline.Detail {
	changes := changesOf(raw)
	if len(changes) == 0 {
		return &timeline.Detail{Kind: "unknown", Input: json.RawMessage(raw)}
	}
	first := changes[0]
	diff := unifiedDiff(first)
	if diff == "" && done {
		return &timeline.Detail{Kind: "unknown", Path: first.path, Input: json.RawMessage(raw)}
	}
	return &timeline.Detail{Kind: "edit", Path: first.path, Diff: cutDiff(diff)}
}

// changesOf reads the shapes in which versions of codex have listed changes: a
// list, {files: list}, one change, or an object with paths as keys.
func changesOf(raw json.RawMessage) []change {
	var list []map[string]any
	if json.Unmarshal(raw, &list) == nil {
		return changeList(list)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return nil
	}
	if files, ok := object["files"]; ok && json.Unmarshal(files, &list) == nil {
		return changeList(list)
	}
	var one map[string]any
	_ = json.Unmarshal(raw, &one)
	if c := changeOf(one); c.path != "" {
		return []change{c}
	}
	var out []change
	for _, path := range slices.Sorted(maps.Keys(object)) {
		var v map[string]any
		_ = json.Unmarshal(object[path], &v)
		c := changeOf(v)
		c.path = path
		out = append(out, c)
	}
	return out
}

func changeList(list []map[string]any) []change {
	var out []change
	for _, v := range list {
		if c := changeOf(v); c.path != "" {
			out = append(out, c)
		}
	}
	return out
}

func changeOf(v map[string]any) change {
	first := func(names ...string) string {
		for _, n := range names {
			if s, ok := v[n].(string); ok && s != "" {
				return s
			}
		}
		return ""
	}
	c := change{
		path: first("path", "file_path", "filePath"),
		kind: first("kind", "type"),
		diff: first("diff", "patch", "unified_diff", "unifiedDiff", "content", "newString"),
	}
	if kind, ok := v["kind"].(map[string]any); ok {
		c.kind, _ = kind["type"].(string)
	}
	return c
}

// unifiedDiff makes a diff of what codex gives: a diff already, its own patch
// envelope, or the whole text of a file that is new or deleted.
func unifiedDiff(c change) string {
	switch {
	case strings.HasPrefix(c.diff, "*** Begin Patch"):
		return fromEnvelope(c.diff)
	case c.kind == "delete":
		return header(c.path, "") + prefixed(c.diff, "-")
	case c.diff == "":
		return ""
	case c.kind == "add" && !looksLikeDiff(c.diff):
		return header("", c.path) + prefixed(c.diff, "+")
	case strings.HasPrefix(c.diff, "@@"):
		return header(c.path, c.path) + c.diff
	}
	return c.diff
}

func looksLikeDiff(s string) bool {
	return strings.HasPrefix(s, "--- ") || strings.HasPrefix(s, "@@") || strings.HasPrefix(s, "diff ")
}

func header(from, to string) string {
	name := func(side, path string) string {
		if path == "" {
			return "/dev/null"
		}
		return side + "/" + strings.TrimPrefix(path, "/")
	}
	return "--- " + name("a", from) + "\n+++ " + name("b", to) + "\n"
}

func prefixed(text, mark string) string {
	if text == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(mark + line)
	}
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
	return b.String()
}

// fromEnvelope turns codex's patch language into unified diffs.
func fromEnvelope(patch string) string {
	var b strings.Builder
	for line := range strings.Lines(patch) {
		word, path, _ := strings.Cut(strings.TrimSpace(line), " File: ")
		switch {
		case strings.HasPrefix(line, "*** Begin Patch"), strings.HasPrefix(line, "*** End"):
		case word == "*** Add":
			b.WriteString(header("", path))
		case word == "*** Delete":
			b.WriteString(header(path, ""))
		case word == "*** Update":
			b.WriteString(header(path, path))
		default:
			b.WriteString(line)
		}
	}
	return b.String()
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
