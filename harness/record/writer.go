package record

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/harness/reading"
	"github.com/heldstream/heldstream/internal/lazyre"
)

// writer gives values the form that they have in a tape.
type writer struct {
	names  *names
	hide   tape.Hide
	spoken map[string]bool // texts that the manager said: never codex's own
	nicks  []string        // names that codex draws for its sub-agents
	asks   map[string]int  // codex's id of a call of its own -> its number, which is its id in a tape
}

func newWriter(n *names, s *section) *writer {
	w := &writer{names: n, hide: tape.NewHide(s.places), spoken: map[string]bool{}, asks: map[string]int{}}
	for _, a := range s.acts {
		if a.line.Verb == tape.Call && a.line.Mark == tape.Codex {
			w.asks[a.id] = a.line.N
		}
		walk("", "", a.value, func(key, _, text string) {
			if key == "agentNickname" && !slices.Contains(w.nicks, text) {
				w.nicks = append(w.nicks, text)
			}
		})
		if a.line.Mark == tape.Manager {
			walk("", "", a.value, func(_, _, text string) { w.spoken[text] = true })
		}
	}
	return w
}

func (w *writer) line(a *act) (tape.Line, error) {
	l := a.line
	l.Thread = w.names.ids[a.thread]
	switch {
	case a.raw != nil:
		l.Data = w.hide.Digest([]byte(w.names.replace(string(a.raw))))
		return l, nil
	case a.value == nil:
		return l, nil
	case l.Verb == tape.Ask:
		wire := a.value.(map[string]any)
		if body, ok := wire["body"].(map[string]any); ok {
			w.shorten(body)
		}
	}
	data, err := w.value(a.value)
	l.Data = data
	return l, err
}

func (w *writer) value(v any) (json.RawMessage, error) {
	data, err := tape.Encode(w.clean("", v))
	if err != nil {
		return nil, err
	}
	return tape.Canonical(data)
}

// clean makes a value what it is in every recording of the same run.
func (w *writer) clean(key string, v any) any {
	switch v := v.(type) {
	case string:
		if c := w.names.clients[v]; c != "" && tape.IsClientKey(key) {
			return kept(c)
		}
		return w.text(same(key, v))
	case json.Number:
		if n := w.asks[v.String()]; n > 0 && key == "requestId" {
			return json.Number(strconv.Itoa(n))
		}
		if isTime(key) {
			return json.Number("0")
		}
	case *folded:
		return &folded{w.clean(key, v.value)}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = w.clean(key, v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out[w.names.replace(k)] = w.clean(k, v[k])
		}
		if zero := json.Number("0"); out["inputTokens"] == zero && out["outputTokens"] == zero && out["totalTokens"] != nil {
			out["totalTokens"] = json.Number("0") // codex's own estimate: it depends on the length of paths
		}
		return out
	}
	return v
}

// kept is a text that has its final form.
type kept string

func (w *writer) text(s string) string {
	for _, n := range noise {
		if w.spoken[s] {
			break
		}
		s = n.re().ReplaceAllString(s, n.with)
	}
	for _, nick := range w.nicks {
		if !w.spoken[s] {
			s = strings.ReplaceAll(s, nick, "Nick")
		}
	}
	return w.hide.Text(w.names.replace(s))
}

// noise is what differs from run to run within texts of codex.
var noise = []struct {
	re   func() *regexp.Regexp
	with string
}{
	{lazyre.New(`sessions/\d{4}/\d\d/\d\d/rollout-[0-9T-]{19}-`), "sessions/2026/01/01/rollout-2026-01-01T00-00-00-"},
	{lazyre.New(`\b([ab])/\S*/work/[0-9-]+/workspace/`), "$1/workspace/"}, // of a diff: relative to what codex takes for the root
	{lazyre.New(`aborted by user after [0-9.]+s`), "aborted by user after 0.0s"},
	{lazyre.New("The writable roots are (.+), `/tmp`\\."), "The writable roots are `/tmp`, $1."}, // by their paths, so the work folder decides
	{lazyre.New(`Chunk ID: [0-9a-f]+`), "Chunk ID: 000000"},
	{lazyre.New(`Wall time: [0-9.]+ seconds`), "Wall time: 0.0000 seconds"},
	{lazyre.New(`session ID \d+`), "session ID 1"},
	{lazyre.New(`"(createdAt|updatedAt|timeUsedSeconds)":\d+`), `"$1":0`}, // of a goal
	{lazyre.New(`"nickname":"[^"]*"`), `"nickname":"Nick"`},
}

// same are texts that the machine decides.
func same(key, v string) string {
	switch plain(key) {
	case "useragent":
		head, _, _ := strings.Cut(v, " (")
		return head + " (any system)"
	case "processid":
		return "1"
	case "xcodexwsstreamrequeststartms":
		return "0"
	case "servername":
		return "host"
	case "timestamp":
		return "2026-01-01T00:00:00.000Z"
	}
	return v
}

func isTime(key string) bool {
	k := plain(key)
	return strings.HasSuffix(key, "At") || strings.HasSuffix(key, "_at") || strings.HasSuffix(k, "atms") ||
		strings.HasSuffix(k, "unixms") || k == "durationms" || k == "createtime" || k == "timetofirsttokenms" || k == "timeusedseconds"
}

// shorten replaces codex's own texts in the body of a request.
func (w *writer) shorten(body map[string]any) {
	if text, ok := body["instructions"].(string); ok && !w.spoken[text] {
		body["instructions"] = w.own("", text, true)
	}
	if tools, ok := body["tools"].([]any); ok {
		body["tools"] = w.tools(tools)
	}
	items, _ := body["input"].([]any)
	for _, v := range items {
		if item, ok := v.(map[string]any); ok {
			w.shortenItem(item)
		}
	}
}

func (w *writer) shortenItem(item map[string]any) {
	if tools, ok := item["tools"].([]any); ok {
		item["tools"] = w.tools(tools)
	}
	role, _ := item["role"].(string)
	if role == "assistant" || role == "" {
		return
	}
	if text, ok := item["content"].(string); ok {
		item["content"] = w.content(role, text)
	}
	parts, _ := item["content"].([]any)
	for i, p := range parts {
		if part, ok := p.(map[string]any); ok {
			if text, ok := part["text"].(string); ok && !configured(item, i) {
				part["text"] = w.content(role, text)
			}
		}
	}
}

// configured reports whether the text at i is of the scenario's config, as codex
// tells OpenAI.
func configured(item map[string]any, i int) bool {
	about, _ := item["internal_chat_message_metadata_passthrough"].(map[string]any)
	kinds, _ := about["content_item_kinds"].([]any)
	return i < len(kinds) && kinds[i] == "realtime_conversation.custom_start_instructions"
}

// content is what is kept of a text of the conversation.
func (w *writer) content(role, text string) any {
	if w.spoken[text] {
		return text
	}
	if role != "user" {
		return w.own(tagOf(text), text, true)
	}
	head, kind := reading.OwnText(text)
	switch kind {
	case "ENVIRONMENT": // holds folder, day and shell
		return w.own(head, text, false)
	case "PROMPT", "ABORTED", "CONTEXT":
		return w.own(head, text, true)
	case "SUMMARY": // what stands behind the preface is the scenario's
		preface, summary, _ := strings.Cut(text, "\n")
		return kept(string(w.own(head, preface, true)) + w.text("\n"+summary))
	}
	return text
}

var tag = regexp.MustCompile(`^<[a-z_ ]{1,40}>`)

func tagOf(text string) string { return tag.FindString(text) }

// own keeps of a text of codex's own what it is for, its length and its hash.
func (w *writer) own(head, text string, hash bool) kept {
	return kept(tape.OwnText(head, w.text(text), hash))
}

// tools keeps names and kinds.
func (w *writer) tools(tools []any) []any {
	out := make([]any, len(tools))
	for i, v := range tools {
		out[i] = v
		t, ok := v.(map[string]any)
		if !ok {
			continue
		}
		short := map[string]any{}
		for _, k := range []string{"type", "name"} {
			if t[k] != nil {
				short[k] = t[k]
			}
		}
		if inner, ok := t["tools"].([]any); ok {
			short["tools"] = w.tools(inner)
		}
		if text, err := w.value(t); err == nil {
			short["description"] = kept(tape.OwnText("", string(text), true))
		}
		out[i] = short
	}
	return out
}
