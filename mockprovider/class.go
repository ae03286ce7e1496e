package mockprovider

import (
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// All that depends on how a version of Codex shapes its requests is in this
// file.

// compactMark stands in Codex's own compaction prompt, in all versions.
const compactMark = "CONTEXT CHECKPOINT COMPACTION"

// Classify tells what kind of request arrived, and by which sign.
func classify(q *request, compactPrompt string) (Class, string) {
	switch {
	case isRealtime(q.path) && q.transport == transportWebSocket:
		return Side, "realtime"
	case strings.HasSuffix(q.path, "/responses/compact"):
		return CompactionV1, "path"
	case q.method == http.MethodGet && isModels(q.path):
		return Models, "path"
	case !strings.HasSuffix(q.path, "/responses"):
		if _, ok := sideAnswer(q.method, q.path); ok {
			return Side, "path"
		}
		return Unknown, "no such endpoint: " + q.method + " " + q.path
	case q.method != http.MethodPost && q.transport != transportWebSocket:
		return Unknown, "method " + q.method
	}
	return classifyResponses(q, compactPrompt)
}

// classifyResponses tells requests for a response apart. What a request asks
// for comes before who asks: a sub-agent compacts too.
func classifyResponses(q *request, compactPrompt string) (Class, string) {
	if q.top.generate.Type == gjson.False {
		return Prewarm, "generate is false"
	}
	if c, why := classifyCompaction(q, compactPrompt); c != "" {
		return c, why
	}
	switch who := subagent(q); who {
	case "":
	case "guardian":
		return Guardian, "sub-agent guardian"
	case "review":
		return Review, "sub-agent review"
	default:
		return Subagent, "sub-agent " + who
	}
	if q.top.meta.Get("thread_source").Str == "guardian_review" {
		return Guardian, "thread_source"
	}
	return Turn, "no other sign"
}

func classifyCompaction(q *request, compactPrompt string) (Class, string) {
	for _, it := range q.items {
		if it.kind == "compaction_trigger" {
			return CompactionV2, "compaction_trigger item"
		}
	}
	// 0.130 with the feature on: the item of the answer stands for the trigger.
	if n := len(q.items); n > 0 && q.items[n-1].kind == "context_compaction" && !q.items[n-1].raw.Get("encrypted_content").Exists() {
		return CompactionV2, "open context_compaction item"
	}
	// 0.111 and 0.130 have no request_kind: there the prompt is the sign.
	switch q.top.meta.Get("request_kind").Str {
	case "":
	case "compaction":
		return CompactionInline, "request_kind"
	default:
		return "", ""
	}
	// Only the last item: a summarized or steered text may have the words too.
	if n := len(q.items); n > 0 && q.items[n-1].kind == "message/user" && isCompactPrompt(q.items[n-1].text, compactPrompt) {
		return CompactionInline, "compaction prompt"
	}
	return "", ""
}

func isCompactPrompt(text, own string) bool {
	return strings.Contains(text, compactMark) || own != "" && text == own
}

// Headers, written as net/http keeps them: a look-up of any other form makes
// that form first.
const (
	headerMetadata = "X-Codex-Turn-Metadata"
	headerSubagent = "X-Openai-Subagent"
)

// threadHeaders: the names differ by version; a client that is not Codex has
// a thread if it sends the first.
var threadHeaders = []string{"Thread-Id", "Thread_id", "Session-Id", "Session_id"}

// metadata is Codex's turn metadata. The headers of a WebSocket handshake tell
// of the first request only, so there just the frame counts.
func metadata(q *request) gjson.Result {
	text := q.top.metadata.Get("x-codex-turn-metadata").Str
	if text == "" && q.transport != transportWebSocket {
		text = q.header.Get(headerMetadata)
	}
	if !gjson.Valid(text) {
		return gjson.Result{}
	}
	return gjson.Parse(text)
}

func threadID(q *request) string {
	id := first(q.top.metadata.Get("thread_id").Str, q.top.meta.Get("thread_id").Str)
	for i := 0; id == "" && i < len(threadHeaders); i++ {
		id = q.header.Get(threadHeaders[i])
	}
	return id
}

func turnID(q *request) string {
	return first(q.top.metadata.Get("turn_id").Str, q.top.meta.Get("turn_id").Str)
}

func subagent(q *request) string {
	return first(q.top.metadata.Get("x-openai-subagent").Str, q.header.Get(headerSubagent), q.top.meta.Get("subagent_kind").Str)
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
