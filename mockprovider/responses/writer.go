package responses

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Event is one event of a stream.
type Event struct {
	Type string
	Data json.RawMessage
}

// frame has the members of every event that a Writer makes, beside its type
// and number.
type frame struct {
	Response *Response `json:"response,omitempty"`

	OutputIndex  *int            `json:"output_index,omitempty"`
	ItemID       string          `json:"item_id,omitempty"`
	ContentIndex *int            `json:"content_index,omitempty"`
	SummaryIndex *int            `json:"summary_index,omitempty"`
	Item         json.RawMessage `json:"item,omitempty"`
	Part         *Part           `json:"part,omitempty"`
	Delta        *string         `json:"delta,omitempty"`
	Text         *string         `json:"text,omitempty"`
	Arguments    *string         `json:"arguments,omitempty"`
	Input        *string         `json:"input,omitempty"`
	Logprobs     *[]float64      `json:"logprobs,omitempty"`
}

// Writer makes the events of one streamed response: Start, items, and one of
// Complete, Fail or Incomplete. Events grows with each call.
type Writer struct {
	Response Response
	Events   []Event
	seq      int    // of the next event
	scratch  []byte // what is being made
	kept     store
}

// NewWriter returns a Writer for a response with this id and model.
func NewWriter(id, model string) *Writer {
	return &Writer{Response: New(id, model), Events: make([]Event, 0, 12), scratch: make([]byte, 0, 1024)}
}

// Number says which sequence_number the next event has: 0 if it is not called.
func (w *Writer) Number(n int) { w.seq = n }

func (w *Writer) add(kind string, f frame) {
	w.scratch = f.append(w.scratch[:0], kind, w.seq)
	w.keep(kind, w.kept.keep(w.scratch))
}

func (w *Writer) keep(kind string, data []byte) {
	w.seq++
	w.Events = append(w.Events, Event{kind, data})
}

// encode makes the JSON of an item.
func (w *Writer) encode(it Item) json.RawMessage {
	w.scratch = it.append(w.scratch[:0])
	return bytes.Clone(w.scratch)
}

// metadata is the frame that has headers in it. It is rare, and so marshaled.
type metadata struct {
	Type     string            `json:"type"`
	Sequence int               `json:"sequence_number"`
	Headers  map[string]string `json:"headers"`
}

// Metadata carries headers in the stream, for transports without headers.
func (w *Writer) Metadata(headers map[string]string) {
	const kind = "response.metadata"
	data, _ := json.Marshal(metadata{kind, w.seq, headers}) // strings always marshal
	w.keep(kind, data)
}

// Start says that the response exists and is being made.
func (w *Writer) Start() {
	w.add("response.created", frame{Response: &w.Response})
	w.add("response.in_progress", frame{Response: &w.Response})
}

// Complete ends the response; usage may be nil.
func (w *Writer) Complete(usage *Usage) {
	w.Response.Status, w.Response.Usage = "completed", usage
	w.add("response.completed", frame{Response: &w.Response})
}

// Fail ends the response with an error.
func (w *Writer) Fail(code, message string) {
	w.Response.Status, w.Response.Error = "failed", &Error{code, message}
	w.add("response.failed", frame{Response: &w.Response})
}

// Incomplete ends the response before its natural end.
func (w *Writer) Incomplete(reason string, usage *Usage) {
	w.Response.Status, w.Response.Usage = "incomplete", usage
	if reason != "" {
		w.Response.IncompleteDetails = &Incomplete{reason}
	}
	w.add("response.incomplete", frame{Response: &w.Response})
}

// Item adds an item that has no parts of its own on the wire: added and done.
func (w *Writer) Item(it Item) {
	at, open := w.open(it)
	w.add("response.output_item.added", frame{OutputIndex: &at, Item: open})
	w.done(at, it)
}

// open returns the index of the next item, and its form in progress.
func (w *Writer) open(it Item) (int, json.RawMessage) {
	if it.Status != "" {
		it.Status = "in_progress"
	}
	return len(w.Response.Output), w.encode(it)
}

func (w *Writer) done(at int, it Item) {
	data := w.encode(it)
	w.Response.Output = append(w.Response.Output, data)
	w.add("response.output_item.done", frame{OutputIndex: &at, Item: data})
}

var zero = 0
var noProbs = []float64{}

// Message adds an assistant message whose text comes in these deltas.
func (w *Writer) Message(id string, deltas []string) {
	text := strings.Join(deltas, "")
	empty := Message(id, "")
	empty.Content = &[]Part{}
	at, open := w.open(empty)
	w.add("response.output_item.added", frame{OutputIndex: &at, Item: open})
	part := OutputText("")
	w.add("response.content_part.added", frame{OutputIndex: &at, ItemID: id, ContentIndex: &zero, Part: &part})
	for i := range deltas {
		w.add("response.output_text.delta", frame{OutputIndex: &at, ItemID: id, ContentIndex: &zero, Delta: &deltas[i], Logprobs: &noProbs})
	}
	w.add("response.output_text.done", frame{OutputIndex: &at, ItemID: id, ContentIndex: &zero, Text: &text, Logprobs: &noProbs})
	full := OutputText(text)
	w.add("response.content_part.done", frame{OutputIndex: &at, ItemID: id, ContentIndex: &zero, Part: &full})
	w.done(at, Message(id, text))
}

// Reasoning adds a reasoning item, its summaries and texts as deltas.
func (w *Writer) Reasoning(id string, summary, content []string, encrypted string) {
	at, open := w.open(Reasoning(id, nil, nil, ""))
	w.add("response.output_item.added", frame{OutputIndex: &at, Item: open})
	for i := range summary {
		w.summary(at, id, i, &summary[i])
	}
	for i := range content {
		w.add("response.reasoning_text.delta", frame{OutputIndex: &at, ItemID: id, ContentIndex: &i, Delta: &content[i]})
		w.add("response.reasoning_text.done", frame{OutputIndex: &at, ItemID: id, ContentIndex: &i, Text: &content[i]})
	}
	w.done(at, Reasoning(id, summary, content, encrypted))
}

func (w *Writer) summary(at int, id string, i int, text *string) {
	base := frame{OutputIndex: &at, ItemID: id, SummaryIndex: &i}
	add := func(kind string, set func(*frame)) {
		f := base
		set(&f)
		w.add(kind, f)
	}
	add("response.reasoning_summary_part.added", func(f *frame) { f.Part = &Part{Type: "summary_text"} })
	add("response.reasoning_summary_text.delta", func(f *frame) { f.Delta = text })
	add("response.reasoning_summary_text.done", func(f *frame) { f.Text = text })
	add("response.reasoning_summary_part.done", func(f *frame) { f.Part = &Part{Type: "summary_text", Text: *text} })
}

// FunctionCall adds a function call, its arguments as one delta.
func (w *Writer) FunctionCall(id, callID, namespace, name, arguments string) {
	at, open := w.open(FunctionCall(id, callID, namespace, name, ""))
	w.add("response.output_item.added", frame{OutputIndex: &at, Item: open})
	w.add("response.function_call_arguments.delta", frame{OutputIndex: &at, ItemID: id, Delta: &arguments})
	w.add("response.function_call_arguments.done", frame{OutputIndex: &at, ItemID: id, Arguments: &arguments})
	w.done(at, FunctionCall(id, callID, namespace, name, arguments))
}

// CustomToolCall adds a call of a freeform tool, its input as one delta.
func (w *Writer) CustomToolCall(id, callID, name, input string) {
	at, open := w.open(CustomToolCall(id, callID, name, ""))
	w.add("response.output_item.added", frame{OutputIndex: &at, Item: open})
	w.add("response.custom_tool_call_input.delta", frame{OutputIndex: &at, ItemID: id, Delta: &input})
	w.add("response.custom_tool_call_input.done", frame{OutputIndex: &at, ItemID: id, Input: &input})
	w.done(at, CustomToolCall(id, callID, name, input))
}
