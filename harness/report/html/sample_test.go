package html

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/report"
)

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

// summarized lets the summary go, with which the history begins from then on.
func (s *story) summarized(id int) {
	s.begin("release summary")
	s.put(eventlog.Released{ID: id, Gate: "summary"})
	s.stream(id, "SUMMARY")
	s.notify("item/completed", `{"item":{"type":"contextCompaction"}}`)
	s.compacted("completed")
	s.history = append(s.history[:3:3], message("user", "input_text", "A summary of the work so far:\nSUMMARY"))
}

// over ends a run of getpaseo/paseo#5728, and is what is told of both.
func (s *story) over(send string, took time.Duration) report.Result {
	s.begin("await idle")
	s.begin("closing")
	s.put(eventlog.Exited{})
	return report.Result{
		Scenario: "compaction/issue-5728", File: "scenarios/compaction/issue-5728.toml", Variant: report.Variant{{Name: "send", Value: send}},
		About: "Prompts that arrive while Codex auto-compacts must not restart the compaction.",
		Codex: report.Codex{Mode: "live", Version: "0.171.0"}, Duration: took, Delivered: prompts,
	}
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
	s.summarized(id)
	s.user(prompts[1])
	cut := s.ask("turn", prompts[1:2])
	s.put(eventlog.Sent{ID: cut, What: "headers"})
	s.put(eventlog.Gone{ID: cut})
	s.user(prompts[2:]...)
	last := s.ask("turn", prompts[1:])
	s.stream(last, "reply 3")
	s.done(2, "reply 3")
	r := s.over("steer", 412*time.Millisecond)
	r.Verdict = report.Pass
	r.Compactions, r.Requests = report.Compactions{Started: 1, Completed: 1}, map[string]int{"turn": 3, "compaction": 1}
	r.Golden = report.GoldenCompared
	r.Timeline = rowsOf(strings.Split(wantedTimeline, "\n")...)
	return Variant{Events: s.events, Result: r}
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
	s.summarized(id)
	s.user(prompts[1:]...)
	s.stream(s.ask("turn", prompts[1:]), "reply 2")
	s.done(4, "reply 2")
	r := s.over("replace", 498*time.Millisecond)
	r.Verdict = report.KnownFailure
	r.Compactions, r.Requests = report.Compactions{Started: 3, Completed: 1, Aborted: 2}, map[string]int{"turn": 2, "compaction": 3}
	r.Timeline = rowsOf(strings.Split(replacedTimeline, "\n")...)
	r.Known = &report.Known{Issue: "getpaseo/paseo#5728", Fails: []string{"compactions", "timeline"}}
	r.Failures = []report.Failure{
		{File: r.File, Line: 56, What: "compactions", Want: "1 started, 1 completed, 0 aborted", Got: "3 started, 1 completed, 2 aborted"},
		{File: r.File, Line: 58, What: "timeline", Want: wantedTimeline, Got: replacedTimeline},
	}
	return Variant{Events: s.events, Result: r}
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
