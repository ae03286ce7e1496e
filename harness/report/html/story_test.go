package html

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/heldstream/heldstream/harness/eventlog"
)

// story writes a log as a run would, with a clock of its own.
type story struct {
	agent    string
	events   []eventlog.Event
	at       time.Duration
	step     int
	request  int
	rows     int
	history  []string // items of the conversation, as JSON
	classes  map[string]int
	compacts int // the open compaction's row
}

func newStory() *story {
	return &story{agent: "main", classes: map[string]int{}, history: []string{
		message("developer", "input_text", "You are a coding agent. "+strings.Repeat("Work in small steps and say what you do. ", 60)),
		message("developer", "input_text", "<permissions>workspace-write, never ask</permissions>"),
		message("user", "input_text", "<environment_context>\n  <cwd>/workspace</cwd>\n</environment_context>"),
	}}
}

func (s *story) add(agent string, body eventlog.Body, after time.Duration) {
	s.at += after
	if b, ok := body.(eventlog.StepBegan); ok {
		s.step = b.Index
	}
	s.events = append(s.events, eventlog.Event{Seq: len(s.events) + 1, At: s.at, Step: s.step, Agent: agent, Body: body})
}

func (s *story) put(body eventlog.Body) { s.add(s.agent, body, 700*time.Microsecond) }

func (s *story) begin(title string) {
	s.add("", eventlog.StepBegan{Index: s.step + 1, Title: title}, 2*time.Millisecond)
}

func (s *story) call(id int, method, params string) {
	s.put(eventlog.ToCodex{Line: json.RawMessage(fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`, id, method, params))})
}

func (s *story) answer(id int, result string) {
	s.put(eventlog.FromCodex{Line: json.RawMessage(fmt.Sprintf(`{"id":%d,"result":%s}`, id, result))})
}

func (s *story) notify(method, params string) {
	s.put(eventlog.FromCodex{Line: json.RawMessage(fmt.Sprintf(`{"method":%q,"params":%s}`, method, params))})
}

func message(role, kind, text string) string {
	return fmt.Sprintf(`{"type":"message","role":%q,"content":[{"type":%q,"text":%s}]}`, role, kind, quoted(text))
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

func (s *story) row(kind, text string) {
	s.rows++
	s.put(eventlog.Row{Seq: s.rows, Kind: kind, Text: text})
}

// user puts a prompt into the history.
func (s *story) user(texts ...string) {
	for _, t := range texts {
		s.history = append(s.history, message("user", "input_text", t))
	}
}

// ask is a request with the history and some more; it returns its id.
func (s *story) ask(class string, texts []string, more ...string) int {
	s.request++
	s.classes[class]++
	items := append(append([]string{}, s.history...), more...)
	body := fmt.Sprintf(`{"model":"gpt-5.5","stream":true,"store":false,"tools":[{"type":"function","name":"exec_command"}],`+
		`"input":[%s],"parallel_tool_calls":%t,"prompt_cache_key":"thread-1","client_metadata":{"turn_id":"turn-%d"}}`,
		strings.Join(items, ","), class == "turn", s.request)
	s.put(eventlog.Request{
		ID: s.request, Thread: "thread-1", Class: class, N: s.classes[class], Try: 1, Reply: 1, Method: "POST",
		Path: "/v1/responses", Header: map[string][]string{"Content-Type": {"application/json"}, "Thread-Id": {"thread-1"}},
		Payload: json.RawMessage(body), Transport: "sse", Model: "gpt-5.5", Texts: texts, LastItem: "message",
	})
	return s.request
}

func (s *story) stream(id int, text string) {
	s.put(eventlog.Sent{ID: id, What: "response.created", Data: json.RawMessage(`{"type":"response.created","response":{"id":"resp_1"}}`)})
	s.put(eventlog.Sent{ID: id, What: "response.output_text.delta", Data: json.RawMessage(`{"type":"response.output_text.delta","delta":` + quoted(text) + `}`)})
	s.put(eventlog.Sent{ID: id, What: "response.completed", Data: json.RawMessage(`{"type":"response.completed","response":{"usage":{"total_tokens":100}}}`)})
	s.put(eventlog.Ended{ID: id})
}

// turn is a whole turn that samples once.
func (s *story) turn(n int, prompt, reply string) {
	s.send(n, prompt)
	s.started(n, prompt)
	s.user(prompt)
	id := s.ask("turn", []string{prompt})
	s.add(s.agent, eventlog.Sent{ID: id, What: "headers"}, 9*time.Millisecond)
	s.stream(id, reply)
	s.done(n, reply)
}

func (s *story) send(n int, prompt string) {
	s.put(eventlog.SendBegan{Send: n, ID: fmt.Sprintf("m%d", n), Text: prompt})
	s.put(eventlog.State{Lifecycle: "running"})
}

func (s *story) started(n int, prompt string) {
	id := 10 + n
	s.call(id, "turn/start", `{"threadId":"thread-1","input":[{"type":"text","text":`+quoted(prompt)+`}]}`)
	s.answer(id, fmt.Sprintf(`{"turn":{"id":"turn-%d"}}`, n))
	s.put(eventlog.SendAnswered{Send: n, Gives: "started"})
	s.notify("turn/started", fmt.Sprintf(`{"turn":{"id":"turn-%d","status":"inProgress"}}`, n))
	s.put(eventlog.Turn{ID: fmt.Sprint("turn-", n), Status: "started"})
	s.row("user", prompt)
}

func (s *story) done(n int, reply string) {
	s.history = append(s.history, message("assistant", "output_text", reply))
	s.notify("item/completed", `{"item":{"type":"agentMessage","text":`+quoted(reply)+`}}`)
	s.row("assistant", reply)
	s.notify("turn/completed", fmt.Sprintf(`{"turn":{"id":"turn-%d","status":"completed"}}`, n))
	s.put(eventlog.Turn{ID: fmt.Sprint("turn-", n), Status: "completed"})
	s.put(eventlog.State{Lifecycle: "idle"})
}

// compact begins a compaction whose answer stands at the gate.
func (s *story) compact(prompt string) int {
	s.notify("item/started", `{"item":{"type":"contextCompaction"}}`)
	s.rows++
	s.compacts = s.rows
	s.put(eventlog.Row{Seq: s.rows, Kind: "compaction", Status: "running", Item: fmt.Sprint("compaction-", s.rows)})
	id := s.ask("compaction.inline", []string{prompt}, message("user", "input_text", "Summarize the conversation so far."))
	s.put(eventlog.Held{ID: id, Gate: "summary"})
	return id
}

func (s *story) compacted(status string) {
	s.rows++
	s.put(eventlog.Row{Seq: s.rows, Kind: "compaction", Status: status, Item: fmt.Sprint("compaction-", s.compacts)})
}
