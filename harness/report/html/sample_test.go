package html

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/report"
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

var prompts = []string{"first turn", "second turn", "update from agent A", "update from agent B"}

// opening is what both variants of getpaseo/paseo#5728 begin with: a turn, and a
// second one that waits for its compaction.
func opening() (*story, int) {
	s := newStory()
	s.begin("run first turn")
	s.put(eventlog.Started{PID: 4711})
	s.call(1, "initialize", `{"clientInfo":{"name":"heldstream"}}`)
	s.add("main", eventlog.FromCodex{Line: json.RawMessage(`{"id":1,"result":{"userAgent":"codex/0.171.0"}}`)}, 120*time.Millisecond)
	s.call(2, "thread/start", `{"cwd":"/workspace"}`)
	s.answer(2, `{"thread":{"id":"thread-1"}}`)
	s.notify("thread/started", `{"thread":{"id":"thread-1"}}`)
	s.turn(1, prompts[0], "reply 1")
	s.begin("send second turn")
	s.send(2, prompts[1])
	s.started(2, prompts[1])
	id := s.compact(prompts[1])
	s.begin("await held = summary")
	return s, id
}

func steered() Variant {
	s, id := opening()
	for i, prompt := range prompts[2:] {
		s.begin("send " + prompt)
		s.send(3+i, prompt)
		s.call(20+i, "turn/steer", `{"threadId":"thread-1","input":[{"type":"text","text":`+quoted(prompt)+`}]}`)
		s.answer(20+i, `{"turnId":"turn-2"}`)
		s.put(eventlog.SendAnswered{Send: 3 + i, Gives: "steered"})
		s.row("user", prompt)
		s.begin("settle")
		s.add("", eventlog.Settled{}, time.Millisecond)
	}
	s.begin("release summary")
	s.put(eventlog.Released{ID: id, Gate: "summary"})
	s.stream(id, "SUMMARY")
	s.notify("item/completed", `{"item":{"type":"contextCompaction"}}`)
	s.compacted("completed")
	s.history = append(s.history[:3:3], message("user", "input_text", "A summary of the work so far:\nSUMMARY"))
	s.user(prompts[1])
	cut := s.ask("turn", prompts[1:2])
	s.put(eventlog.Sent{ID: cut, What: "headers"})
	s.put(eventlog.Gone{ID: cut})
	s.user(prompts[2:]...)
	last := s.ask("turn", prompts[1:])
	s.stream(last, "reply 3")
	s.done(2, "reply 3")
	s.begin("await idle")
	s.begin("closing")
	s.put(eventlog.Exited{})
	return Variant{Events: s.events, Result: report.Result{
		Scenario: "compaction/issue-5728", File: "scenarios/compaction/issue-5728.toml", Variant: report.Variant{{Name: "send", Value: "steer"}},
		Verdict: report.Pass, Codex: report.Codex{Mode: "live", Version: "0.171.0"}, Duration: 412 * time.Millisecond,
		Compactions: report.Compactions{Started: 1, Completed: 1}, Requests: map[string]int{"turn": 3, "compaction": 1},
		Delivered: prompts, Golden: report.GoldenCompared,
		Timeline: rowsOf("user: first turn", "assistant: reply 1", "user: second turn", "compaction: started", "user: update from agent A",
			"user: update from agent B", "compaction: completed", "assistant: reply 3"),
	}}
}

func rowsOf(texts ...string) []report.Row {
	var rows []report.Row
	for _, t := range texts {
		rows = append(rows, report.Row{Text: t})
	}
	return rows
}

const wantedTimeline = "user: first turn\nassistant: reply 1\nuser: second turn\ncompaction: started\nuser: update from agent A\n" +
	"user: update from agent B\ncompaction: completed\nassistant: reply 3"

const replacedTimeline = "user: first turn\nassistant: reply 1\nuser: second turn\ncompaction: started\ncompaction: aborted\n" +
	"user: update from agent A\ncompaction: started\ncompaction: aborted\nuser: update from agent B\ncompaction: started\n" +
	"compaction: completed\nassistant: reply 2"

func replaced() Variant {
	s, id := opening()
	for i, prompt := range prompts[2:] {
		s.begin("send " + prompt)
		s.send(3+i, prompt)
		s.call(30+i, "turn/interrupt", fmt.Sprintf(`{"threadId":"thread-1","turnId":"turn-%d"}`, 2+i))
		s.put(eventlog.Gone{ID: id})
		s.answer(30+i, `{}`)
		s.notify("turn/completed", fmt.Sprintf(`{"turn":{"id":"turn-%d","status":"interrupted"}}`, 2+i))
		s.compacted("aborted")
		s.put(eventlog.Turn{ID: fmt.Sprint("turn-", 2+i), Status: "interrupted"})
		s.user(prompts[1+i])
		s.started(3+i, prompt)
		id = s.compact(prompt)
		s.begin("settle")
		s.add("", eventlog.Settled{}, time.Millisecond)
	}
	s.begin("release summary")
	s.put(eventlog.Released{ID: id, Gate: "summary"})
	s.stream(id, "SUMMARY")
	s.notify("item/completed", `{"item":{"type":"contextCompaction"}}`)
	s.compacted("completed")
	s.history = append(s.history[:3:3], message("user", "input_text", "A summary of the work so far:\nSUMMARY"))
	s.user(prompts[1:]...)
	s.stream(s.ask("turn", prompts[1:]), "reply 2")
	s.done(4, "reply 2")
	s.begin("await idle")
	s.begin("closing")
	s.put(eventlog.Exited{})
	return Variant{Events: s.events, Result: report.Result{
		Scenario: "compaction/issue-5728", File: "scenarios/compaction/issue-5728.toml", Variant: report.Variant{{Name: "send", Value: "replace"}},
		Verdict: report.KnownFailure, Codex: report.Codex{Mode: "live", Version: "0.171.0"}, Duration: 498 * time.Millisecond,
		Compactions: report.Compactions{Started: 3, Completed: 1, Aborted: 2}, Requests: map[string]int{"turn": 2, "compaction": 3},
		Delivered: prompts, Timeline: rowsOf(strings.Split(replacedTimeline, "\n")...),
		Known: &report.Known{Issue: "getpaseo/paseo#5728", Fails: []string{"compactions", "timeline"}},
		Failures: []report.Failure{
			{File: "scenarios/compaction/issue-5728.toml", Line: 56, What: "compactions", Want: "1 started, 1 completed, 0 aborted", Got: "3 started, 1 completed, 2 aborted"},
			{File: "scenarios/compaction/issue-5728.toml", Line: 58, What: "timeline", Want: wantedTimeline, Got: replacedTimeline},
		},
		Command: "replay run --run 'compaction/issue-5728 send=replace' scenarios/compaction/issue-5728.toml",
	}}
}

func issue5728() Report {
	return Report{Elapsed: 1200 * time.Millisecond, Variants: []Variant{replaced(), steered()}}
}

// large is a run of two agents with at least so many events.
func large(events int) Report {
	s := newStory()
	for n := 1; len(s.events) < events; n++ {
		s.agent = []string{"main", "helper"}[n%2]
		s.begin(fmt.Sprintf("run turn %d", n))
		s.turn(n, fmt.Sprintf("turn %d, please", n), fmt.Sprintf("reply %d", n))
	}
	s.events = s.events[:events]
	return Report{Elapsed: 9 * time.Second, Variants: []Variant{{Events: s.events, Result: report.Result{
		Scenario: "speed/many-turns", File: "many-turns.toml", Verdict: report.Pass, Codex: report.Codex{Mode: "tape", Version: "0.171.0"},
		Duration: 9 * time.Second, Requests: map[string]int{"turn": s.request},
	}}}}
}

// longWords is a variant with nothing but words that are wider than a telephone.
func longWords() Variant {
	word := strings.Repeat("wide", 100)
	return Variant{
		Events: []eventlog.Event{{Seq: 1, Agent: word, Body: eventlog.Row{Seq: 1, Kind: "user", Text: word}}},
		Result: report.Result{
			Scenario: word, Variant: report.Variant{{Name: word, Value: word}}, Verdict: report.Error, Reason: word, Codex: report.Codex{Mode: word, Version: word},
			Requests: map[string]int{word: 1}, Lost: []string{word}, Timeline: []report.Row{{Agent: word, Text: word, Mark: word}}, Notes: []string{word},
			Failures: []report.Failure{{File: word, Line: 1, What: word, Want: word, Got: word, Detail: word}, {File: word, What: word, Want: word + "\n" + word, Got: word}},
			Known:    &report.Known{Issue: word, Fails: []string{word}}, Command: word,
		},
	}
}
