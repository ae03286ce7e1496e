package mockprovider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// plain answers as the benchmarks' script does, and no more: it finds the last
// user text and writes the events of a short reply. It matches nothing,
// records nothing and holds nothing.
func plain(w http.ResponseWriter, r *http.Request) {
	var body plainBody
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.lastUser() == "" {
		http.Error(w, "no text", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range plainEvents(body.Model) {
		data, _ := json.Marshal(e)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], data)
		w.(http.Flusher).Flush()
	}
}

type plainBody struct {
	Model string
	Input []struct {
		Role    string
		Content []struct{ Text string }
	}
}

func (b *plainBody) lastUser() string {
	for i := len(b.Input) - 1; i >= 0; i-- {
		if it := b.Input[i]; it.Role == "user" && len(it.Content) > 0 {
			return it.Content[len(it.Content)-1].Text
		}
	}
	return ""
}

type object = map[string]any

func plainEvents(model string) []object {
	deltas := benchScript.Replies[1].Say
	text := strings.Join(deltas, "")
	part := func(text string) object { return object{"type": "output_text", "text": text, "annotations": []any{}} }
	item := func(status string, content ...object) object {
		return object{"type": "message", "id": "msg_1", "status": status, "role": "assistant", "content": content}
	}
	response := func(status string, output ...object) object {
		return object{"id": "resp_1", "object": "response", "created_at": 1, "status": status, "model": model, "output": output, "parallel_tool_calls": true, "tool_choice": "auto", "tools": []any{}}
	}
	of := func(e object) object {
		e["item_id"], e["output_index"], e["content_index"] = "msg_1", 0, 0
		return e
	}
	events := []object{
		{"type": "response.created", "response": response("in_progress")},
		{"type": "response.in_progress", "response": response("in_progress")},
		{"type": "response.output_item.added", "output_index": 0, "item": item("in_progress")},
		of(object{"type": "response.content_part.added", "part": part("")}),
	}
	for _, d := range deltas {
		events = append(events, of(object{"type": "response.output_text.delta", "delta": d, "logprobs": []any{}}))
	}
	events = append(events,
		of(object{"type": "response.output_text.done", "text": text, "logprobs": []any{}}),
		of(object{"type": "response.content_part.done", "part": part(text)}),
		object{"type": "response.output_item.done", "output_index": 0, "item": item("completed", part(text))},
		object{"type": "response.completed", "response": response("completed", item("completed", part(text)))},
	)
	for i, e := range events {
		e["sequence_number"] = i
	}
	return events
}
