package mockprovider

import (
	"encoding/json"
	"net/http"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
)

// request is what a client asked, decoded: what classifying and matching read.
type request struct {
	agent     string
	transport string
	conn      int      // WebSocket connection
	lane      string   // its stream_id
	previous  string   // previous_response_id
	past      *past    // what previous_response_id names
	refused   *refusal // why the request cannot be answered, though it is well formed
	method    string
	path      string
	header    http.Header
	body      []byte
	top       *members // of the body; gone once it is matched
	items     []item   // of the input
}

// item is one input item.
type item struct {
	kind   string // its type; for messages "message/ROLE"
	text   string // of a message: its parts, one a line
	id     string
	callID string
	raw    gjson.Result
}

// newRequest decodes a body. It must not be changed afterwards.
func newRequest(agent, transport string, r *http.Request, body []byte) (*request, *refusal) {
	q := &request{agent: agent, transport: transport, method: r.Method, path: r.URL.Path, header: r.Header, body: body, top: &members{}}
	if len(body) == 0 {
		q.body = nil
		return q, nil
	}
	if !json.Valid(body) {
		q.body, _ = json.Marshal(string(body)) // the log shows it, and Body is JSON
		if q.isForm() {
			return q, nil
		}
		return q, refuse(http.StatusBadRequest, "invalid_json", "the request body is no JSON document")
	}
	// gjson's results point into the text they were parsed from: without the
	// copy that ParseBytes makes, every body is in memory once.
	q.top.root = gjson.Parse(unsafe.String(unsafe.SliceData(body), len(body)))
	q.top.read(q.top.root)
	q.top.meta = metadata(q)
	q.items = inputItems(q.top.input)
	q.previous = q.top.previous.Str
	return q, nil
}

// shrink drops what only classifying and matching need: the request may be
// held for long.
func (q *request) shrink() { q.top = nil }

// members are what this package reads of a body, found in one pass: nobody
// has to search a long body again.
type members struct {
	root, meta gjson.Result // the body, and Codex's turn metadata

	kind, model, input, instructions, stream, generate gjson.Result
	metadata, previous, lane, session                  gjson.Result
}

func (m *members) read(root gjson.Result) {
	if !root.IsObject() {
		return
	}
	root.ForEach(func(k, v gjson.Result) bool {
		if to := m.member(k.Str); to != nil {
			*to = v
		}
		return true
	})
}

func (m *members) member(name string) *gjson.Result {
	switch name {
	case "type":
		return &m.kind
	case "model":
		return &m.model
	case "input":
		return &m.input
	case "instructions":
		return &m.instructions
	case "stream":
		return &m.stream
	case "generate":
		return &m.generate
	case "client_metadata":
		return &m.metadata
	case "previous_response_id":
		return &m.previous
	case "stream_id":
		return &m.lane
	case "session":
		return &m.session
	}
	return nil
}

// isWhole says that the request has the body that one of its class needs.
func (q *request) isWhole(c Class) bool {
	return c != Prewarm && !AnyClass.answers(c) || q.top.root.IsObject()
}

// isForm: token endpoints take forms, as OAuth has it.
func (q *request) isForm() bool {
	return strings.HasPrefix(q.header.Get("Content-Type"), "application/x-www-form-urlencoded")
}

func inputItems(input gjson.Result) []item {
	if input.Type == gjson.String {
		return []item{{kind: "message/user", text: input.Str, raw: input}}
	}
	if !input.IsArray() {
		return nil
	}
	var items []item
	input.ForEach(func(_, v gjson.Result) bool {
		items = append(items, newItem(v))
		return true
	})
	return items
}

// newItem reads an item in one pass: those of a long conversation are large.
func newItem(v gjson.Result) item {
	it := item{raw: v}
	var role string
	var content gjson.Result
	v.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "type":
			it.kind = v.Str
		case "role":
			role = v.Str
		case "content":
			content = v
		case "id":
			it.id = v.Str
		case "call_id":
			it.callID = v.Str
		}
		return true
	})
	if it.kind == "message" || it.kind == "" && role != "" {
		it.kind = "message/" + role
		it.text = contentText(content)
	}
	return it
}

// asItem is the item as it came; an input that is one text becomes a message.
func (it *item) asItem() json.RawMessage {
	if it.raw.Type != gjson.String {
		return json.RawMessage(it.raw.Raw)
	}
	return json.RawMessage(`{"type":"message","role":"user","content":[{"type":"input_text","text":` + it.raw.Raw + `}]}`)
}

func contentText(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.Str
	}
	var text string
	content.ForEach(func(_, part gjson.Result) bool {
		if t := part.Get("text"); t.Type == gjson.String {
			if text != "" {
				text += "\n"
			}
			text += t.Str
		}
		return true
	})
	return text
}

// userTexts are the texts of every user item, in order.
func (q *request) userTexts() []string {
	var texts []string
	for _, it := range q.items {
		if it.kind == "message/user" {
			texts = append(texts, it.text)
		}
	}
	return texts
}

// lastUser is the index of the last user item, -1 without one.
func (q *request) lastUser() int {
	for i := len(q.items) - 1; i >= 0; i-- {
		if q.items[i].kind == "message/user" {
			return i
		}
	}
	return -1
}

func (q *request) lastUserText() string {
	if i := q.lastUser(); i >= 0 {
		return q.items[i].text
	}
	return ""
}

// outputs are the call ids that have an output in the input.
func (q *request) outputs() []string {
	var ids []string
	for _, it := range q.items {
		if strings.HasSuffix(it.kind, "_output") {
			ids = append(ids, it.callID)
		}
	}
	return ids
}

func (q *request) model() string { return q.top.model.Str }

// exchange tells the request as hooks and journal see it.
func (q *request) exchange() *Exchange {
	x := &Exchange{
		Agent: q.agent, Thread: threadID(q), TurnID: turnID(q), Reply: -1,
		Method: q.method, Path: q.path, Header: q.header, Body: q.body,
		Transport: q.transport, Connection: q.conn,
		Incremental: q.conn > 0 && q.previous != "",
		Model:       q.model(), UserTexts: q.userTexts(), Outputs: q.outputs(),
	}
	if n := len(q.items); n > 0 {
		x.LastItem = q.items[n-1].kind
	}
	return x
}
