package responses

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Frames are appended by hand: a mock that marshals by reflection spends more
// on it than on everything else. The tests compare with encoding/json.

// object appends the members of a JSON object.
type object struct{ b []byte }

func (o *object) key(name string) {
	if last := o.b[len(o.b)-1]; last != '{' {
		o.b = append(o.b, ',')
	}
	o.b = append(append(append(o.b, '"'), name...), '"', ':')
}

func (o *object) text(name, value string) {
	o.key(name)
	o.b = appendString(o.b, value)
}

func (o *object) optional(name string, value *string) {
	if value != nil {
		o.text(name, *value)
	}
}

func (o *object) number(name string, value *int) {
	if value != nil {
		o.key(name)
		o.b = strconv.AppendInt(o.b, int64(*value), 10)
	}
}

func (o *object) raw(name string, value []byte) {
	if value != nil {
		o.key(name)
		o.b = append(o.b, value...)
	}
}

func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			q, _ := json.Marshal(strings.Clone(s)) // the copy alone moves to the heap
			return append(b, q...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// append appends the frame in the order of its fields.
func (f *frame) append(b []byte, kind string, sequence int) []byte {
	o := object{append(b, '{')}
	o.text("type", kind)
	o.number("sequence_number", &sequence)
	if f.Response != nil {
		o.key("response")
		o.b = f.Response.append(o.b)
	}
	o.number("output_index", f.OutputIndex)
	if f.ItemID != "" {
		o.text("item_id", f.ItemID)
	}
	o.number("content_index", f.ContentIndex)
	o.number("summary_index", f.SummaryIndex)
	o.raw("item", f.Item)
	if f.Part != nil {
		o.key("part")
		o.b = f.Part.append(o.b)
	}
	o.optional("delta", f.Delta)
	o.optional("text", f.Text)
	o.optional("arguments", f.Arguments)
	o.optional("input", f.Input)
	if f.Logprobs != nil {
		o.raw("logprobs", empty)
	}
	return append(o.b, '}')
}

func (it *Item) append(b []byte) []byte {
	o := object{append(b, '{')}
	o.text("type", it.Type)
	o.given("id", it.ID)
	o.given("status", it.Status)
	o.given("role", it.Role)
	o.given("call_id", it.CallID)
	o.given("namespace", it.Namespace)
	o.given("name", it.Name)
	o.parts("content", it.Content)
	o.parts("summary", it.Summary)
	o.given("encrypted_content", it.Encrypted)
	o.raw("arguments", it.Arguments)
	o.optional("input", it.Input)
	o.raw("action", it.Action)
	o.given("execution", it.Execution)
	o.given("result", it.Result)
	o.given("server_label", it.Server)
	o.given("output", it.Output)
	return append(o.b, '}')
}

func (o *object) given(name, value string) {
	if value != "" {
		o.text(name, value)
	}
}

func (o *object) parts(name string, parts *[]Part) {
	if parts == nil {
		return
	}
	o.key(name)
	o.b = append(o.b, '[')
	for i := range *parts {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = (*parts)[i].append(o.b)
	}
	o.b = append(o.b, ']')
}

func (p *Part) append(b []byte) []byte {
	o := object{append(b, '{')}
	o.text("type", p.Type)
	o.text("text", p.Text)
	if p.Annotations != nil {
		o.raw("annotations", empty)
	}
	return append(o.b, '}')
}

var null, empty = []byte("null"), []byte("[]")

func (r *Response) append(b []byte) []byte {
	o := object{append(b, '{')}
	o.text("id", r.ID)
	o.text("object", r.Object)
	at := int(r.CreatedAt)
	o.number("created_at", &at)
	o.text("status", r.Status)
	if r.Error == nil {
		o.raw("error", null)
	} else {
		o.key("error")
		o.b = r.Error.append(o.b)
	}
	if r.IncompleteDetails == nil {
		o.raw("incomplete_details", null)
	} else {
		o.key("incomplete_details")
		o.b = r.IncompleteDetails.append(o.b)
	}
	o.text("model", r.Model)
	o.key("output")
	o.b = append(o.b, '[')
	for i, it := range r.Output {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = append(o.b, it...)
	}
	o.b = append(o.b, ']')
	o.key("parallel_tool_calls")
	o.b = strconv.AppendBool(o.b, r.ParallelToolCalls)
	o.text("tool_choice", r.ToolChoice)
	o.raw("tools", empty)
	if r.Usage != nil {
		o.key("usage")
		o.b = r.Usage.append(o.b)
	}
	return append(o.b, '}')
}

func (e *Error) append(b []byte) []byte {
	o := object{append(b, '{')}
	o.text("code", e.Code)
	o.text("message", e.Message)
	return append(o.b, '}')
}

func (i *Incomplete) append(b []byte) []byte {
	o := object{append(b, '{')}
	o.text("reason", i.Reason)
	return append(o.b, '}')
}

func (u *Usage) append(b []byte) []byte {
	o := object{append(b, '{')}
	o.number("input_tokens", &u.InputTokens)
	o.key("input_tokens_details")
	in := object{append(o.b, '{')}
	in.number("cached_tokens", &u.InputTokensDetails.CachedTokens)
	o.b = append(in.b, '}')
	o.number("output_tokens", &u.OutputTokens)
	o.key("output_tokens_details")
	out := object{append(o.b, '{')}
	out.number("reasoning_tokens", &u.OutputTokensDetails.ReasoningTokens)
	o.b = append(out.b, '}')
	o.number("total_tokens", &u.TotalTokens)
	return append(o.b, '}')
}
