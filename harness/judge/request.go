package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/reading"
)

// differs says how a request is not the wanted one, "" when it is.
func (v view) differs(w plan.RequestWant, q *reading.Request) string {
	for _, check := range []func(plan.RequestWant, *reading.Request) string{
		v.classDiffers, v.textsDiffer, v.bodyDiffers, v.headersDiffer, v.metadataDiffers, v.transportDiffers,
	} {
		if why := check(w, q); why != "" {
			return why
		}
	}
	return ""
}

func (v view) classDiffers(w plan.RequestWant, q *reading.Request) string {
	switch {
	case w.Class != "" && !IsClass(q.Class, w.Class):
		return "wanted class " + w.Class
	case w.Attempt != 0 && w.Attempt != q.Try:
		return fmt.Sprintf("wanted attempt %d", w.Attempt)
	case w.Model != "" && w.Model != q.Model:
		return fmt.Sprintf("model is %q, wanted %q", q.Model, w.Model)
	case w.Path != "" && w.Path != q.Path:
		return fmt.Sprintf("path is %q, wanted %q", q.Path, w.Path)
	}
	return ""
}

func (v view) textsDiffer(w plan.RequestWant, q *reading.Request) string {
	if w.User != nil {
		want := v.expandStrings(w.User)
		got := slices.DeleteFunc(slices.Clone(q.Texts), reading.OfCodex)
		if !slices.Equal(got, want) {
			return fmt.Sprintf("user texts are %q, wanted %q", got, want)
		}
	}
	for _, text := range v.expandStrings(w.Contains) {
		if !contains(q.Payload, text) {
			return fmt.Sprintf("does not contain %q", text)
		}
	}
	for _, text := range v.expandStrings(w.Lacks) {
		if contains(q.Payload, text) {
			return fmt.Sprintf("contains %q, which it must lack", text)
		}
	}
	return ""
}

// contains looks for a text as the body writes it.
func contains(body json.RawMessage, text string) bool {
	quoted, err := json.Marshal(text)
	return err == nil && bytes.Contains(body, quoted[1:len(quoted)-1]) || bytes.Contains(body, []byte(text))
}

func (v view) bodyDiffers(w plan.RequestWant, q *reading.Request) string {
	for _, path := range w.Absent {
		if gjson.GetBytes(q.Payload, path).Exists() {
			return path + " is there, and must be absent"
		}
	}
	return v.pathsDiffer(w.JSON, q.Payload)
}

// pathsDiffer compares values at gjson paths; "*" is: present.
func (v view) pathsDiffer(want map[string]any, body []byte) string {
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if why := v.PathDiffers(path, want[path], body); why != "" {
			return why
		}
	}
	return ""
}

// PathDiffers says how the value at a gjson path of a JSON text is not the
// wanted one, "" when it is. "*" is: present.
func (s Subject) PathDiffers(path string, want any, body []byte) string {
	got := gjson.GetBytes(body, path)
	if want == "*" && got.Exists() {
		return ""
	}
	if text, ok := want.(string); ok {
		want = s.expand(text)
	}
	if !got.Exists() || !sameJSON(want, got.Raw) {
		return fmt.Sprintf("%s is %s, wanted %v", path, shown(got), want)
	}
	return ""
}

func shown(r gjson.Result) string {
	if !r.Exists() {
		return "not there"
	}
	return r.Raw
}

func sameJSON(want any, raw string) bool {
	encoded, err := json.Marshal(want)
	if err != nil {
		return false
	}
	var x, y any
	return json.Unmarshal(encoded, &x) == nil && json.Unmarshal([]byte(raw), &y) == nil &&
		fmt.Sprintf("%#v", x) == fmt.Sprintf("%#v", y)
}

func (v view) headersDiffer(w plan.RequestWant, q *reading.Request) string {
	for name, want := range w.Header {
		got := q.Header.Get(name)
		if got == "" || want != "*" && got != v.expand(want) {
			return fmt.Sprintf("header %s is %q, wanted %q", name, got, want)
		}
	}
	if w.TurnState != nil {
		if got := turnState(q); got != *w.TurnState {
			return fmt.Sprintf("turn state is %q, wanted %q", got, *w.TurnState)
		}
	}
	return ""
}

// turnState stands in a header, or over WebSocket in the frame.
func turnState(q *reading.Request) string {
	if q.Transport == "websocket" {
		return gjson.GetBytes(q.Payload, "client_metadata.x-codex-turn-state").String()
	}
	return q.Header.Get("x-codex-turn-state")
}

// metadataDiffers looks into the turn metadata: JSON in a header, and in the
// frame over WebSocket.
func (v view) metadataDiffers(w plan.RequestWant, q *reading.Request) string {
	metadata := q.Header.Get("x-codex-turn-metadata")
	if q.Transport == "websocket" {
		metadata = gjson.GetBytes(q.Payload, "client_metadata.x-codex-turn-metadata").String()
	}
	return v.pathsDiffer(w.Metadata, []byte(metadata))
}

func (v view) transportDiffers(w plan.RequestWant, q *reading.Request) string {
	switch {
	case w.Connection != 0 && w.Connection != q.Connection:
		return fmt.Sprintf("on connection %d, wanted %d", q.Connection, w.Connection)
	case w.Incremental != nil && *w.Incremental != q.Incremental:
		return fmt.Sprintf("incremental is %v, wanted %v", q.Incremental, *w.Incremental)
	}
	return ""
}

func (s Subject) expandStrings(list []string) []string {
	all := make([]string, len(list))
	for i, t := range list {
		all[i] = s.expand(t)
	}
	return all
}
