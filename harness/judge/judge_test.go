package judge_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/judge"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/reading"
)

// run is the reading of a log of one agent.
func run(bodies ...eventlog.Body) *reading.Run {
	r := reading.New()
	for _, b := range bodies {
		r.Apply(eventlog.Event{Agent: "main", Body: b})
	}
	return r
}

func asked(method string) eventlog.ToCodex {
	return eventlog.ToCodex{Line: []byte(`{"id":1,"method":"` + method + `"}`)}
}

// closed is the reading of a log that goes on when the last step is done.
func closed(bodies ...eventlog.Body) *reading.Run {
	r := reading.New()
	r.Agent("main")
	r.Closing = true
	for _, b := range bodies {
		r.Apply(eventlog.Event{Agent: "main", Body: b})
	}
	return r
}

func turnRequest(id int, texts ...string) eventlog.Request {
	return eventlog.Request{ID: id, Thread: "T", Turn: "t", Class: "turn", Try: 1, Texts: texts}
}

func row(seq int, kind, text, status string) eventlog.Row {
	return eventlog.Row{Seq: seq, Kind: kind, Text: text, Status: status}
}

func texts(list ...string) *plan.Texts {
	w := &plan.Texts{}
	for _, t := range list {
		w.List = append(w.List, plan.Text{Text: t})
	}
	return w
}

func number(n int) *int { return &n }

func sent(n int, id, text string) eventlog.SendBegan {
	return eventlog.SendBegan{Send: n, ID: id, Text: text}
}

// Each expectation has a run in which it is met, one in which it still may be,
// where there is such a thing, and one in which it never will be.
func TestAnswers(t *testing.T) {
	compact := row(1, "compaction", "", "running")
	done := row(2, "compaction", "", "completed")
	for _, c := range []struct {
		name   string
		expect plan.Expectation
		run    *reading.Run
		answer judge.Answer
		got    string
	}{
		{"one compaction", plan.Expectation{Key: "compactions", Value: &plan.Compactions{Started: number(1), Completed: number(1), Aborted: number(0)}},
			run(compact, done), judge.Met, "1 started, 1 completed, 0 aborted"},
		{"one that runs", plan.Expectation{Key: "compactions", Value: &plan.Compactions{Started: number(1), Completed: number(1)}},
			run(compact), judge.Unmet, "1 started, 0 completed, 0 aborted"},
		{"one too many", plan.Expectation{Key: "compactions", Value: &plan.Compactions{Started: number(1)}},
			run(compact, compact), judge.Never, "2 started, 0 completed, 0 aborted"},

		{"delivered in order", plan.Expectation{Key: "delivered", Value: texts("one", "two")},
			run(turnRequest(1, "one"), turnRequest(2, "one", "two")), judge.Met, "one\ntwo"},
		{"delivered in the other order", plan.Expectation{Key: "delivered", Value: texts("two", "one")},
			run(turnRequest(1, "one"), turnRequest(2, "one", "two")), judge.Never, "one\ntwo"},
		{"delivered twice in one request", plan.Expectation{Key: "delivered", Value: texts("one")},
			run(turnRequest(1, "one", "one")), judge.Never, "one\none"},
		{"sent twice, and there twice", plan.Expectation{Key: "delivered", Value: texts("go", "go")},
			run(turnRequest(1, "go"), turnRequest(2, "go", "go")), judge.Met, "go\ngo"},
		{"not delivered by a compaction", plan.Expectation{Key: "delivered", Value: texts("one")},
			run(eventlog.Request{ID: 1, Class: "compaction.inline", Texts: []string{"one"}}), judge.Unmet, "none"},

		{"lost", plan.Expectation{Key: "lost", Value: texts("one")}, run(sent(1, "a", "one")), judge.Met, "one"},
		{"lost but told", plan.Expectation{Key: "lost", Value: texts("one")},
			run(sent(1, "a", "one"), eventlog.Undelivered{ID: "a", Text: "one"}), judge.Never, "none"},

		{"lost and sent again", plan.Expectation{Key: "sends", Value: texts("started")},
			run(sent(1, "a", "one"), eventlog.SendAnswered{Send: 1, Gives: "started"}, eventlog.Undelivered{ID: "a", Text: "one", Resend: true}), judge.Met, "started"},

		{"turns by their ends", plan.Expectation{Key: "turns", Value: &plan.Turns{List: []plan.Text{{Text: "completed"}, {Text: "failed"}}}},
			run(eventlog.Turn{ID: "1", Status: "started"}, eventlog.Turn{ID: "1", Status: "completed"}), judge.Unmet, "completed"},
		{"turns by number", plan.Expectation{Key: "turns", Value: &plan.Turns{Count: number(1)}},
			run(eventlog.Turn{ID: "1", Status: "interrupted"}), judge.Met, "1"},

		{"calls by method", plan.Expectation{Key: "calls", Value: &plan.Calls{Counts: map[string]int{"turn/start": 2, "turn/steer": 0}}},
			run(asked("turn/start"), asked("turn/start"), asked("thread/start")), judge.Met, "turn/start 2, turn/steer 0"},
		{"a call too many", plan.Expectation{Key: "calls", Value: &plan.Calls{Counts: map[string]int{"turn/steer": 0}}},
			run(asked("turn/steer")), judge.Never, "turn/steer 1"},
		{"a call too few, and codex's own", plan.Expectation{Key: "calls", Value: &plan.Calls{Counts: map[string]int{"turn/start": 1}}},
			run(eventlog.FromCodex{Line: []byte(`{"id":1,"method":"turn/start"}`)}), judge.Unmet, "turn/start 0"},
		{"calls of the close are codex's end, not the scenario's", plan.Expectation{Key: "calls", Value: &plan.Calls{Counts: map[string]int{"turn/interrupt": 0}}},
			closed(asked("turn/interrupt")), judge.Met, "turn/interrupt 0"},

		{"requests by class", plan.Expectation{Key: "requests", Value: &plan.Requests{Counts: []plan.ClassCount{{Class: "turn", Count: 1}}}},
			run(turnRequest(1, "x"), eventlog.Request{ID: 2, Class: "turn", Try: 2}), judge.Met, "turn 1"},
		{"attempts count tries", plan.Expectation{Key: "attempts", Value: &plan.Requests{Counts: []plan.ClassCount{{Class: "turn", Count: 1}}}},
			run(turnRequest(1, "x"), eventlog.Request{ID: 2, Class: "turn", Try: 2}), judge.Never, "turn 2"},

		{"lifecycle since the first send", plan.Expectation{Key: "lifecycle", Value: texts("running", "idle")},
			run(eventlog.State{Lifecycle: "idle"}, sent(1, "a", "x"), eventlog.State{Lifecycle: "running"}, eventlog.State{Lifecycle: "running"}, eventlog.State{Lifecycle: "idle"}),
			judge.Met, "running\nidle"},
		{"permissions in the order of their requests", plan.Expectation{Key: "permissions", Value: texts("denied", "allowed")},
			run(eventlog.Permission{Request: "p1"}, eventlog.Permission{Request: "p2"}, eventlog.Permission{Request: "p2", Outcome: "allowed"}, eventlog.Permission{Request: "p1", Outcome: "denied"}),
			judge.Met, "denied\nallowed"},
		{"sends", plan.Expectation{Key: "sends", Value: texts("started", "undelivered")},
			run(sent(1, "a", "x"), sent(2, "b", "y"), eventlog.SendAnswered{Send: 1, Gives: "started"}, eventlog.SendAnswered{Send: 2, Gives: "started"}, eventlog.Undelivered{ID: "b"}),
			judge.Met, "started\nundelivered"},

		{"errors", plan.Expectation{Key: "errors", Value: &plan.Errors{List: []plan.ErrorWant{{Text: "Reconnecting"}}}},
			run(eventlog.Notice{Level: "error", Text: "Reconnecting... 1/2", Retry: true}), judge.Met, "Reconnecting... 1/2 (retries)"},
		{"an error too many", plan.Expectation{Key: "errors", Value: &plan.Errors{}},
			run(eventlog.Notice{Level: "error", Text: "x"}), judge.Never, "x"},
		{"largest", plan.Expectation{Key: "largest", Value: &plan.Largest{InputBytes: 3}},
			run(eventlog.Request{ID: 1, Payload: json.RawMessage("1234")}), judge.Never, "4 bytes"},
		{"budget", plan.Expectation{Key: "budget", Value: &plan.Budget{Requests: number(1)}},
			run(turnRequest(1, "x"), turnRequest(2, "x")), judge.Never, "requests 2, compactions 0"},
		{"usage of completed turns", plan.Expectation{Key: "usage", Value: &plan.Usage{Turns: []plan.UsageWant{{Total: number(7)}}}},
			run(eventlog.Turn{ID: "1", Status: "completed", Usage: map[string]int64{"total": 7}}), judge.Met, "0 input, 0 cached, 0 output, 0 reasoning, 7 total"},
		{"connections with their requests", plan.Expectation{Key: "connections", Value: &plan.Connections{Requests: []int{2, 1}}},
			run(eventlog.Request{ID: 1, Connection: 1}, eventlog.Request{ID: 2, Connection: 1}), judge.Unmet, "[2]"},
		{"rollout", plan.Expectation{Key: "rollout", Value: &plan.RolloutWant{Lines: []plan.RolloutLine{{Type: "token_count", Where: map[string]any{"payload.n": int64(3)}, Count: number(1)}}}},
			run(eventlog.Rollout{Lines: []json.RawMessage{[]byte(`{"type":"event_msg","payload":{"type":"token_count","n":3}}`)}}), judge.Met, "1 of token_count payload.n=3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := judge.Subject{Run: c.run}.Check(c.expect)
			require.Equal(t, c.answer, f.Answer, "wanted %s, got %s", f.Want, f.Got)
			require.Equal(t, c.got, f.Got)
		})
	}
}

func TestTimeline(t *testing.T) {
	user, text := row(1, "user", "hi", ""), row(2, "assistant", "yes", "")
	tool := eventlog.Row{Seq: 3, Kind: "tool", Name: "shell", Item: "c1", Status: "running"}
	ran := eventlog.Row{Seq: 4, Kind: "tool", Name: "shell", Item: "c1", Status: "completed"}
	want := func(rows ...plan.Row) plan.Expectation {
		return plan.Expectation{Key: "timeline", Value: &plan.Timeline{Rows: rows}}
	}
	hi := plan.Row{Kind: "user", Text: "hi"}
	shell := plan.Row{Kind: "tool", Text: "shell completed"}
	for _, c := range []struct {
		name   string
		want   plan.Expectation
		rows   []eventlog.Body
		answer judge.Answer
	}{
		{"all rows", want(hi, plan.Row{Kind: "assistant", Text: "yes"}), []eventlog.Body{user, text}, judge.Met},
		{"any text", want(hi, plan.Row{Kind: "assistant", AnyText: true}), []eventlog.Body{user, text}, judge.Met},
		{"any rows", want(plan.Row{AnyRows: true}, shell), []eventlog.Body{user, text, tool, ran}, judge.Met},
		{"a row to come", want(hi, plan.Row{Kind: "assistant", AnyText: true}), []eventlog.Body{user}, judge.Unmet},
		{"another row", want(hi, plan.Row{Kind: "error", AnyText: true}), []eventlog.Body{user, text}, judge.Never},
		{"a row too many", want(hi), []eventlog.Body{user, text}, judge.Never},
		{"a tool call is one row", want(shell), []eventlog.Body{tool, ran}, judge.Met},
		{"a tool that runs may still complete", want(shell), []eventlog.Body{tool}, judge.Unmet},
		{"a withdrawn row is not there", want(hi), []eventlog.Body{user, eventlog.Row{Seq: 2, Kind: "user", Text: "no", Note: "withdrawn"}}, judge.Met},
		{"cut off and kept", want(plan.Row{Kind: "assistant", Aborted: true, Text: "ye"}),
			[]eventlog.Body{eventlog.Row{Seq: 1, Kind: "assistant", Text: "ye", Note: "aborted"}}, judge.Met},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.answer, judge.Subject{Run: run(c.rows...)}.Check(c.want).Answer)
		})
	}
}

func TestARowOfSeveralLinesIsOneEntry(t *testing.T) {
	want := plan.Expectation{Key: "timeline", Value: &plan.Timeline{Rows: []plan.Row{{Kind: "user", Text: "hi", AsInFile: "user: hi"}}}}
	f := judge.Subject{Run: run(row(1, "user", "one\ntwo", ""), row(2, "assistant", "yes", ""))}.Check(want)
	require.Equal(t, "user: one\\ntwo\nassistant: yes", f.Got)
}

func TestARequestListSaysWhatDiffers(t *testing.T) {
	q := eventlog.Request{
		ID: 1, Class: "compaction.v2", Try: 1, Texts: []string{"<environment_context>…", "hi"}, Path: "/v1/responses",
		Header:  map[string][]string{"X-Codex-Turn-State": {"S"}, "X-Codex-Turn-Metadata": {`{"window_number":1}`}},
		Payload: json.RawMessage(`{"input":[{"type":"message","content":"hi"}],"store":false}`),
	}
	state, other := "S", "T"
	for _, c := range []struct {
		want plan.RequestWant
		why  string
	}{
		{plan.RequestWant{Class: "compaction", User: []string{"hi"}, Contains: []string{"hi"}, JSON: map[string]any{"store": false, "input.#": "*"}, Metadata: map[string]any{"window_number": int64(1)}, TurnState: &state}, ""},
		{plan.RequestWant{Class: "turn"}, "wanted class turn"},
		{plan.RequestWant{User: []string{"ho"}}, `user texts are ["hi"], wanted ["ho"]`},
		{plan.RequestWant{Lacks: []string{"hi"}}, `contains "hi"`},
		{plan.RequestWant{Absent: []string{"store"}}, "store is there"},
		{plan.RequestWant{JSON: map[string]any{"store": true}}, "store is false, wanted true"},
		{plan.RequestWant{TurnState: &other}, `turn state is "S", wanted "T"`},
		{plan.RequestWant{Header: map[string]string{"x-none": "*"}}, `header x-none is "", wanted "*"`},
	} {
		f := judge.Subject{Run: run(q)}.Check(plan.Expectation{Key: "requests", Value: &plan.Requests{List: []plan.RequestWant{c.want}}})
		if c.why == "" {
			require.Equal(t, judge.Met, f.Answer, f.Got)
			continue
		}
		require.Equal(t, judge.Never, f.Answer)
		require.Contains(t, f.Got, c.why)
	}
}

func TestFatesSortWhatWasSent(t *testing.T) {
	r := run(sent(1, "a", "one"), sent(2, "b", "two"), sent(3, "c", "three"), turnRequest(1, "<environment_context>", "one"),
		eventlog.Undelivered{ID: "c", Text: "three"})
	delivered, lost := judge.Subject{Run: r}.Fates()
	require.Equal(t, []string{"one"}, delivered)
	require.Equal(t, []string{"two"}, lost)
}

func TestNamesOfTheRunAreExpanded(t *testing.T) {
	s := judge.Subject{Run: run(turnRequest(1, "in /w")), Expand: func(text string) string {
		if text == "in ${workspace}" {
			return "in /w"
		}
		return text
	}}
	require.Equal(t, judge.Met, s.Check(plan.Expectation{Key: "delivered", Value: texts("in ${workspace}")}).Answer)
}
