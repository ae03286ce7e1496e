package mockprovider

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/heldstream/heldstream/mockprovider/responses"
)

// answer is what a request gets, before gates and time: events, or one body.
type answer struct {
	status  int
	headers map[string]string // never changed: may be one for all
	plain   bool              // body, not events
	body    []byte
	events  []responses.Event
}

// What most answers have for headers.
var (
	jsonHeaders   = map[string]string{"Content-Type": "application/json"}
	streamHeaders = map[string]string{"Content-Type": "text/event-stream"}
)

// headers are those that the reply names, and of the usual ones what it does
// not name.
func (r *Reply) headers(a asked, usual map[string]string) map[string]string {
	if len(r.Headers) == 0 {
		return usual
	}
	headers := maps.Clone(usual)
	if headers == nil {
		headers = map[string]string{}
	}
	for k, v := range r.Headers {
		headers[k] = expand(v, a.expand)
	}
	return headers
}

func jsonAnswer(status int, body []byte) answer {
	return answer{status: status, headers: jsonHeaders, plain: true, body: body}
}

func errorAnswer(status int, code, message string) answer {
	return jsonAnswer(status, responses.ErrorBody(errorKind(status), code, message))
}

func errorKind(status int) string {
	switch {
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status >= http.StatusInternalServerError:
		return "server_error"
	}
	return "invalid_request_error"
}

// failing says that the client was not to be satisfied with it.
func (a *answer) failing() bool {
	if a.plain {
		return a.status >= http.StatusBadRequest
	}
	for _, e := range a.events {
		if e.Type == "response.completed" {
			return false
		}
	}
	return true
}

// asked is what an answer depends on beside the reply.
type asked struct {
	class  Class
	ids    *ids
	respID string
	model  string
	usage  *responses.Usage
	stream bool
	inBand bool // headers go as an event
	expand func(string) (string, bool)
	items  []item // for the client's own messages in a v1 compaction
}

// answer makes what this reply says to a request.
func (r *Reply) answer(a asked) answer {
	switch {
	case r.Body != "" || r.Status >= http.StatusMultipleChoices:
		return r.plainAnswer(a)
	case a.class == CompactionV1:
		return answer{r.status(), r.headers(a, jsonHeaders), true, r.compactV1(a), nil}
	}
	w := r.write(a)
	if !a.stream {
		body, _ := json.Marshal(w.Response)
		return answer{r.status(), r.headers(a, jsonHeaders), true, body, w.Events}
	}
	return answer{r.status(), r.headers(a, streamHeaders), false, nil, w.Events}
}

func (r *Reply) status() int { return or(r.Status, http.StatusOK) }

// plainAnswer is a status with its body; an error without one gets the body
// that its end and message describe.
func (r *Reply) plainAnswer(a asked) answer {
	body := []byte(expand(r.Body, a.expand))
	if r.Body == "" && r.Status >= http.StatusBadRequest {
		_, code, _ := strings.Cut(r.End, ":")
		body = responses.ErrorBody(errorKind(r.Status), or(code, "mock_error"), or(expand(r.Message, a.expand), http.StatusText(r.Status)))
	}
	var usual map[string]string
	if json.Valid(body) {
		usual = jsonHeaders
	}
	return answer{status: r.status(), headers: r.headers(a, usual), plain: true, body: body}
}

// write makes the events of the reply.
func (r *Reply) write(a asked) *responses.Writer {
	w := responses.NewWriter(a.respID, a.model)
	if headers := r.headers(a, nil); a.inBand && len(headers) > 0 {
		w.Metadata(headers)
		if limits := rateLimits(headers); limits != nil {
			w.Events = append(w.Events, responses.Event{Type: rateLimitsEvent, Data: limits})
		}
	}
	if len(r.Events) > 0 {
		for _, e := range r.Events {
			data := expandJSON(e, a.expand)
			w.Events = append(w.Events, responses.Event{Type: gjson.GetBytes(data, "type").Str, Data: data})
		}
		return w
	}
	w.Start()
	r.items(w, a)
	r.end(w, a)
	return w
}

func (r *Reply) items(w *responses.Writer, a asked) {
	if t := r.Think; t != nil {
		w.Reasoning(a.ids.next("rs"), a.texts(t.Summary), a.texts(t.Text), expand(t.Encrypted, a.expand))
	}
	say, compaction := r.texts(a.class)
	if len(say) > 0 {
		w.Message(a.ids.next("msg"), a.texts(say))
	}
	for i := range r.Call {
		r.Call[i].write(w, a)
	}
	for _, text := range a.texts(compaction) {
		w.Item(responses.Compaction(a.ids.next("cmp"), text))
	}
}

// texts says what becomes a message and what a compaction item. One reply to
// any compaction serves all its forms: inline wants a message, the remote ones
// an item, and where only one of the two was scripted it stands for the other.
func (r *Reply) texts(class Class) (say, compaction []string) {
	remote := class == CompactionV1 || class == CompactionV2
	switch {
	case class == CompactionInline && len(r.Say) == 0:
		return r.Compaction, nil
	case class == CompactionInline:
		return r.Say, nil
	case remote && r.Compaction == nil && len(r.Say) > 0:
		return nil, []string{strings.Join(r.Say, "")}
	}
	return r.Say, r.Compaction
}

func (a *asked) texts(ts []string) []string {
	if !slices.ContainsFunc(ts, hasNames) {
		return ts
	}
	out := make([]string, len(ts))
	for i, t := range ts {
		out[i] = expand(t, a.expand)
	}
	return out
}

func (r *Reply) end(w *responses.Writer, a asked) {
	kind, detail, _ := strings.Cut(r.End, ":")
	switch kind {
	case "", "completed":
		w.Complete(a.usage)
	case "incomplete":
		w.Incomplete(detail, a.usage)
	case "failed":
		w.Fail(detail, or(expand(r.Message, a.expand), "the mock provider was told to fail"))
	}
}

// compactV1 is the body of the old compaction endpoint: its output replaces
// the client's history, so the user's messages are given back.
func (r *Reply) compactV1(a asked) []byte {
	output := []json.RawMessage{}
	for _, it := range a.items {
		if it.kind == "message/user" {
			output = append(output, it.asItem())
		}
	}
	w := responses.NewWriter(a.respID, a.model)
	r.items(w, a)
	body, _ := json.Marshal(struct {
		ID        string            `json:"id"`
		Object    string            `json:"object"`
		CreatedAt int64             `json:"created_at"`
		Output    []json.RawMessage `json:"output"`
		Usage     *responses.Usage  `json:"usage,omitempty"`
	}{w.Response.ID, "response.compaction", w.Response.CreatedAt, append(output, w.Response.Output...), a.usage})
	return body
}
