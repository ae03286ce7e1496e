package reading_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/reading"
)

// A tale is a log in short: "> " a line to codex, "< " one from it, "req", "held"
// and so on the provider. Each settle rule has one that is settled only with
// its last line.
func tell(t *testing.T, r *reading.Run, lines ...string) {
	t.Helper()
	for _, line := range lines {
		for _, b := range bodies(t, line) {
			agent := "main"
			if _, ok := b.(eventlog.ToolHeld); ok {
				agent = "" // whose command it is, the gate does not know
			}
			r.Apply(eventlog.Event{Agent: agent, Body: b})
		}
	}
}

func bodies(t *testing.T, line string) []eventlog.Body {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "start":
		return []eventlog.Body{eventlog.Started{}}
	case ">":
		return []eventlog.Body{eventlog.ToCodex{Line: []byte(rest)}}
	case "<":
		return []eventlog.Body{eventlog.FromCodex{Line: []byte(rest)}}
	case "exit":
		return []eventlog.Body{eventlog.Exited{Signal: "killed"}}
	case "toolgate":
		return []eventlog.Body{eventlog.ToolHeld{Gate: rest}}
	case "called":
		return []eventlog.Body{eventlog.AgentCalled{ID: rest}}
	case "answered":
		return []eventlog.Body{eventlog.AgentAnswered{ID: rest}}
	case "req", "held", "headers", "sent", "gone", "ended", "released":
		return provider(t, word, rest)
	}
	t.Fatalf("no such line: %s", line)
	return nil
}

func provider(t *testing.T, word, rest string) []eventlog.Body {
	var id int
	_, err := fmt.Sscan(rest, &id)
	require.NoError(t, err)
	_, rest, _ = strings.Cut(rest, " ")
	switch word {
	case "req": // ID CLASS TURN TEXT|TEXT
		class, rest, _ := strings.Cut(rest, " ")
		turn, texts, _ := strings.Cut(rest, " ")
		return []eventlog.Body{eventlog.Request{ID: id, Thread: "T", Turn: turn, Class: class, Try: 1, Texts: strings.Split(texts, "|"), Transport: "sse"}}
	case "held":
		return []eventlog.Body{eventlog.Held{ID: id, Gate: rest}}
	case "released":
		return []eventlog.Body{eventlog.Released{ID: id, Gate: rest}}
	case "headers":
		return []eventlog.Body{eventlog.Sent{ID: id, What: "headers"}}
	case "sent":
		what, data, _ := strings.Cut(rest, " ")
		return []eventlog.Body{eventlog.Sent{ID: id, What: what, Data: []byte(data)}}
	case "gone":
		return []eventlog.Body{eventlog.Gone{ID: id}}
	default:
		return []eventlog.Body{eventlog.Ended{ID: id}}
	}
}

const (
	startCall  = `> {"id":3,"method":"turn/start","params":{"threadId":"T","input":[{"type":"text","text":"one"}]}}`
	startReply = `< {"id":3,"result":{"turn":{"id":"t1"}}}`
	started    = `< {"method":"turn/started","params":{"threadId":"T","turn":{"id":"t1"}}}`
	placedOne  = `< {"method":"item/completed","params":{"threadId":"T","turnId":"t1","item":{"type":"userMessage","id":"u1","content":[{"type":"text","text":"one"}]}}}`
	completed  = `< {"method":"turn/completed","params":{"threadId":"T","turn":{"id":"t1","status":"completed"}}}`
	steerCall  = `> {"id":4,"method":"turn/steer","params":{"threadId":"T","expectedTurnId":"t1","input":[{"type":"text","text":"two"}]}}`
	steerReply = `< {"id":4,"result":{"turnId":"t1"}}`
	placedTwo  = `< {"method":"item/completed","params":{"threadId":"T","turnId":"t1","item":{"type":"userMessage","id":"u2","content":[{"type":"text","text":"two"}]}}}`
	compacting = `< {"method":"item/started","params":{"threadId":"T","turnId":"t1","item":{"type":"contextCompaction","id":"c1"}}}`
)

// goalSet is a thread with a goal for which no turn has begun yet.
var goalSet = []string{"start", `> {"id":6,"method":"thread/goal/set","params":{"threadId":"T","objective":"x"}}`, `< {"id":6,"result":{"goal":{"status":"active"}}}`}

// heldSampling is a turn whose sampling is held after its headers.
var heldSampling = []string{"start", startCall, startReply, started, placedOne, "req 1 turn t1 one", "headers 1", "held 1 g"}

// calling is a turn whose model has called a tool of the manager's.
var calling = []string{"start", startCall, startReply, started, placedOne, "req 1 turn t1 one", "headers 1", "ended 1",
	`< {"method":"item/started","params":{"threadId":"T","turnId":"t1","item":{"type":"mcpToolCall","id":"call_1"}}}`}

func with(base []string, more ...string) []string {
	return append(append([]string{}, base...), more...)
}

func TestSettledOnlyWithTheLastLine(t *testing.T) {
	newest := reading.Traits{InstantInterrupt: true, ClosesHeld: true}
	for _, c := range []struct {
		name   string
		traits reading.Traits
		waits  string // what is missing before the last line
		tale   []string
	}{
		{"a started thread owes its notification", newest, "thread/started", []string{"start",
			`> {"id":2,"method":"thread/start","params":{}}`, `< {"id":2,"result":{"thread":{"id":"T"}}}`,
			`< {"method":"thread/started","params":{"thread":{"id":"T"}}}`}},
		{"a call in flight", newest, "an answer to turn/interrupt", []string{"start",
			`> {"id":9,"method":"turn/interrupt","params":{"threadId":"T","turnId":"t1"}}`, `< {"id":9,"error":{"code":-32600,"message":"no active turn to interrupt"}}`}},
		{"a turn runs until it is completed", newest, "the next act", []string{"start", startCall, startReply, started, placedOne, completed}},
		{"an answered start owes turn/started", newest, "turn/started", []string{"start", startCall, startReply, "req 1 turn t1 one", "held 1 g", placedOne, started}},
		{"a held sampling counts once its user item was read", newest, `the item of user text "one"`,
			[]string{"start", startCall, startReply, started, "req 1 turn t1 one", "headers 1", "held 1 g", placedOne}},
		{"a held compaction counts once its item was read", newest, "item/started of the compaction",
			[]string{"start", startCall, startReply, started, "req 1 compaction.inline t1 PROMPT", "held 1 g", compacting}},
		{"a steered sampling counts once the steered item was read", newest, `the item of user text "two"`, with(heldSampling, steerCall, steerReply,
			"gone 1", "req 2 turn t1 one|two", "headers 2", "held 2 g", placedTwo)},
		{"a steer answered and not yet cut", newest, `carries "two"`, with(heldSampling, steerCall, steerReply, "exit")},
		{"an interrupted turn owes its end", newest, "the end of the interrupted turn", with(heldSampling,
			`> {"id":5,"method":"turn/interrupt","params":{"threadId":"T","turnId":"t1"}}`, `< {"id":5,"result":{}}`, "gone 1",
			`< {"method":"turn/completed","params":{"threadId":"T","turn":{"id":"t1","status":"interrupted"}}}`)},
		{"the held request of an ended turn will be closed", newest, "to close request 1", with(heldSampling, completed, "gone 1")},
		{"a manual compaction owes its turn", newest, "manual compaction", []string{"start",
			`> {"id":6,"method":"thread/compact/start","params":{"threadId":"T"}}`, `< {"id":6,"result":{}}`,
			"req 1 compaction.inline t7 PROMPT", "held 1 g",
			`< {"method":"item/started","params":{"threadId":"T","turnId":"t7","item":{"type":"contextCompaction","id":"c1"}}}`,
			`< {"method":"turn/started","params":{"threadId":"T","turn":{"id":"t7"}}}`}},
		{"a prewarm counts once it is held", reading.Traits{Prewarms: true}, "the prewarm of a WebSocket", []string{"start",
			`> {"id":2,"method":"thread/resume","params":{}}`, `< {"id":2,"result":{"thread":{"id":"T"}}}`, "req 1 prewarm - -", "held 1 g"}},
		{"and is owed again when it is let go", reading.Traits{Prewarms: true}, "the prewarm of a WebSocket", []string{"start",
			`> {"id":2,"method":"thread/resume","params":{}}`, `< {"id":2,"result":{"thread":{"id":"T"}}}`, "req 1 prewarm - -", "held 1 g", "released 1 g", "ended 1"}},
		{"a realtime session begins after its call", newest, "the start of the realtime session", []string{"start",
			`> {"id":6,"method":"thread/realtime/start","params":{"threadId":"T"}}`, `< {"id":6,"result":{}}`,
			`< {"method":"thread/realtime/started","params":{"threadId":"T"}}`}},
		{"or fails to", newest, "the start of the realtime session", []string{"start",
			`> {"id":6,"method":"thread/realtime/start","params":{"threadId":"T"}}`, `< {"id":6,"result":{}}`,
			`< {"method":"thread/realtime/error","params":{"threadId":"T","message":"refused"}}`}},
		{"and ends after its call", newest, "the end of the realtime session", []string{"start",
			`> {"id":6,"method":"thread/realtime/start","params":{"threadId":"T"}}`, `< {"id":6,"result":{}}`,
			`< {"method":"thread/realtime/started","params":{"threadId":"T"}}`,
			`> {"id":7,"method":"thread/realtime/stop","params":{"threadId":"T"}}`, `< {"id":7,"result":{}}`,
			`< {"method":"thread/realtime/closed","params":{"threadId":"T"}}`}},
		{"an active goal owes the next turn", newest, "the next turn for the goal", with(goalSet,
			`< {"method":"thread/goal/updated","params":{"threadId":"T","goal":{"status":"complete"}}}`)},
		{"until it is cleared", newest, "the next turn for the goal", with(goalSet, `< {"method":"thread/goal/cleared","params":{"threadId":"T"}}`)},
		{"or its turn is interrupted", newest, "the end of the interrupted turn", with(goalSet, started,
			`> {"id":5,"method":"turn/interrupt","params":{"threadId":"T","turnId":"t1"}}`, `< {"id":5,"result":{}}`,
			`< {"method":"turn/completed","params":{"threadId":"T","turn":{"id":"t1","status":"interrupted"}}}`)},
		{"a program runs to its end", reading.Traits{Program: true}, "the end of the program", []string{"start", "req 1 turn - one", "ended 1", "exit"}},
		{"a program waits for what is held", reading.Traits{Program: true}, "the answer to request 1", []string{"start", "req 1 turn - one", "headers 1", "held 1 g"}},
		{"an answer that is released is under way", reading.Traits{Program: true}, "the answer to request 1", []string{"start", "req 1 turn - one", "held 1 g", "released 1 g", "exit"}},
		{"a message before a gate shows", newest, "item/started", with(heldSampling,
			`sent 1 response.output_item.added {"item":{"type":"message","id":"msg_1"}}`,
			`< {"method":"item/started","params":{"threadId":"T","turnId":"t1","item":{"type":"agentMessage","id":"msg_1"}}}`)},
		{"each delta before a gate shows", newest, "a delta", with(heldSampling,
			`sent 1 response.output_text.delta {"item_id":"msg_1","delta":"a"}`, `sent 1 response.output_text.delta {"item_id":"msg_1","delta":"b"}`,
			`< {"method":"item/agentMessage/delta","params":{"threadId":"T","turnId":"t1","itemId":"msg_1"}}`,
			`< {"method":"item/agentMessage/delta","params":{"threadId":"T","turnId":"t1","itemId":"msg_1"}}`)},
		{"a tool runs until its item ends", newest, "the end of commandExecution", with(heldSampling,
			`< {"method":"item/started","params":{"threadId":"T","turnId":"t1","item":{"type":"commandExecution","id":"call_1"}}}`,
			`< {"method":"item/completed","params":{"threadId":"T","turnId":"t1","item":{"type":"commandExecution","id":"call_1"}}}`)},
		{"a call of the manager's tools counts once the manager has it", newest, "the end of mcpToolCall", with(calling, "called call_1")},
		{"an answered call of the manager's tools ends", newest, "the end of mcpToolCall", with(calling, "called call_1", "answered call_1",
			"req 2 turn t1 one", "headers 2", "held 2 g", `< {"method":"item/completed","params":{"threadId":"T","turnId":"t1","item":{"type":"mcpToolCall","id":"call_1"}}}`)},
		{"a call of an interrupted turn is left", newest, "to leave the call call_1", with(calling, "called call_1",
			`< {"method":"turn/completed","params":{"threadId":"T","turn":{"id":"t1","status":"interrupted"}}}`, "answered call_1")},
		{"so is one of a codex that is gone", newest, "to leave the call call_1", with(calling, "called call_1", "exit", "answered call_1")},
		{"a call of a tool under a stream that is held shows", newest, "item/started", with(heldSampling,
			`sent 1 response.output_item.done {"item":{"type":"function_call","name":"x","namespace":"mcp__agents","call_id":"call_1"}}`, "called call_1",
			`< {"method":"item/started","params":{"threadId":"T","turnId":"t1","item":{"type":"mcpToolCall","id":"call_1"}}}`)},
		{"the manager's tools start with a thread", reading.Traits{Tools: true}, "the start of the manager's tools", []string{"start",
			`> {"id":2,"method":"thread/start","params":{}}`, `< {"id":2,"result":{"thread":{"id":"T"}}}`, `< {"method":"thread/started","params":{"thread":{"id":"T"}}}`,
			`< {"method":"mcpServer/startupStatus/updated","params":{"threadId":"T","name":"agents","status":"starting"}}`,
			`< {"method":"mcpServer/startupStatus/updated","params":{"threadId":"T","name":"other","status":"ready"}}`,
			`< {"method":"mcpServer/startupStatus/updated","params":{"threadId":"T","name":"agents","status":"ready"}}`}},
		{"an answered approval owes its resolution", newest, "serverRequest/resolved", with(heldSampling,
			`< {"id":0,"method":"item/commandExecution/requestApproval","params":{"threadId":"T","turnId":"t1","itemId":"call_1"}}`,
			`> {"id":0,"result":{"decision":"accept"}}`,
			`< {"method":"serverRequest/resolved","params":{"threadId":"T","requestId":0}}`)},
		{"of two tools one is at a gate and one has not begun", newest, "item/started (call_2)", with([]string{"start", startCall, startReply, started, placedOne, "req 1 turn t1 one"},
			`sent 1 response.output_item.done {"item":{"type":"function_call","name":"exec_command","call_id":"call_1"}}`,
			`sent 1 response.output_item.done {"item":{"type":"function_call","name":"exec_command","call_id":"call_2"}}`,
			`sent 1 response.completed {}`, "ended 1", "toolgate g",
			`< {"method":"item/started","params":{"threadId":"T","turnId":"t1","item":{"type":"commandExecution","id":"call_1","command":"cat /w/hold-g"}}}`,
			`< {"method":"item/completed","params":{"threadId":"T","turnId":"t1","item":{"type":"commandExecution","id":"call_2"}}}`)},
		{"a turn soon waits no more for a command that yields", newest, "the end of commandExecution", with([]string{"start", startCall, startReply, started, placedOne, "req 1 turn t1 one"},
			`sent 1 response.output_item.done {"item":{"type":"function_call","name":"exec_command","call_id":"call_1","arguments":"{\"yield_time_ms\":300}"}}`,
			`sent 1 response.completed {}`, "ended 1", "toolgate g",
			`< {"method":"item/started","params":{"threadId":"T","turnId":"t1","item":{"type":"commandExecution","id":"call_1","command":"cat /w/hold-g"}}}`,
			"req 2 turn t1 one", "ended 2", completed)},
		{"a background command is still to come to its gate", newest, `to come to gate "g"`, with([]string{"start", startCall, startReply, started, placedOne},
			`< {"method":"item/started","params":{"threadId":"T","turnId":"t1","item":{"type":"commandExecution","id":"call_1","command":"cat /w/hold-g"}}}`,
			completed, "toolgate g")},
		{"a command in the background runs until it ends", newest, "background command call_1", with([]string{"start", startCall, startReply, started, placedOne},
			`< {"method":"item/started","params":{"threadId":"T","turnId":"t1","item":{"type":"commandExecution","id":"call_1","command":"make"}}}`,
			completed, `< {"method":"item/completed","params":{"threadId":"T","turnId":"t1","item":{"type":"commandExecution","id":"call_1","command":"make"}}}`)},
		{"an impatient codex will leave a silent stream", reading.Traits{Impatient: true}, "to lose patience with request 1",
			with(heldSampling, completed)},
		{"an answer that is being written", newest, "the answer to request 1", []string{"start", "req 1 side - x", "ended 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := reading.New()
			r.Agent("main").Traits = c.traits
			last := len(c.tale) - 1
			tell(t, r, c.tale[:last]...)
			require.Contains(t, r.Unsettled(), c.waits)
			tell(t, r, c.tale[last])
			require.Empty(t, r.Unsettled())
		})
	}
}

func TestSettledAtOnce(t *testing.T) {
	for _, c := range []struct {
		name   string
		traits reading.Traits
		tale   []string
	}{
		{"a prewarm that is over before its thread is told", reading.Traits{Prewarms: true}, []string{"start",
			`> {"id":2,"method":"thread/start","params":{}}`, "req 1 handshake - x", "ended 1",
			`< {"method":"thread/started","params":{"thread":{"id":"T"}}}`, `< {"id":2,"result":{"thread":{"id":"T"}}}`}},
		{"an approval asked for before its command shows", reading.Traits{}, []string{"start", startCall, startReply, started, placedOne, "req 1 turn t1 one",
			`sent 1 response.output_item.done {"item":{"type":"function_call","name":"exec_command","call_id":"call_1"}}`, `sent 1 response.completed {}`, "ended 1",
			`< {"id":0,"method":"item/commandExecution/requestApproval","params":{"threadId":"T","turnId":"t1","itemId":"call_1"}}`}},
		{"a held sampling", reading.Traits{InstantInterrupt: true}, heldSampling},
		{"an open approval", reading.Traits{}, []string{"start", startCall, startReply, started,
			`< {"id":0,"method":"item/commandExecution/requestApproval","params":{"threadId":"T","turnId":"t1","itemId":"call_1"}}`}},
		{"a resumed thread, whose tools start before it is answered", reading.Traits{Tools: true}, []string{"start",
			`> {"id":2,"method":"thread/resume","params":{"threadId":"T"}}`,
			`< {"method":"mcpServer/startupStatus/updated","params":{"threadId":"T","name":"agents","status":"ready"}}`, `< {"id":2,"result":{"thread":{"id":"T"}}}`}},
		{"a program that prints nothing of a held answer", reading.Traits{Program: true}, []string{"start", "req 1 turn - one",
			`sent 1 response.output_item.added {"item":{"type":"message","id":"msg_1"}}`, "held 1 g"}},
		{"a program whose command stands at a gate", reading.Traits{Program: true}, []string{"start", "req 1 turn - one", "ended 1", "toolgate g"}},
		{"a steer waits where steers do not cut", reading.Traits{}, with(heldSampling, steerCall, steerReply)},
		{"a steer does not cut before the headers", reading.Traits{InstantInterrupt: true},
			[]string{"start", startCall, startReply, started, placedOne, "req 1 turn t1 one", "held 1 g", steerCall, steerReply}},
		{"old versions leave the requests of ended turns open", reading.Traits{}, with(heldSampling, completed)},
		{"and show nothing of what is written to them", reading.Traits{}, with(heldSampling, completed, "released 1 g",
			`sent 1 response.output_item.added {"item":{"type":"message","id":"msg_1"}}`, `sent 1 response.completed {}`, "ended 1")},
		{"nothing is owed by a process that is gone", reading.Traits{InstantInterrupt: true}, with(heldSampling, steerCall, "exit")},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := reading.New()
			r.Agent("main").Traits = c.traits
			tell(t, r, c.tale...)
			require.Empty(t, r.Unsettled())
		})
	}
}

func TestWorkOfTheManagerIsNotSettled(t *testing.T) {
	r := reading.New()
	r.Work++
	require.Equal(t, "the manager is at work", r.Unsettled())
}

func TestTwoEqualTextsAreCounted(t *testing.T) {
	r := reading.New()
	r.Agent("main").Traits.InstantInterrupt = true
	same := strings.ReplaceAll(steerCall, "two", "one")
	tell(t, r, with(heldSampling, same, steerReply)...)
	require.Contains(t, r.Unsettled(), `carries "one"`, "the held request has the text once, two were accepted")
}

func TestSpoiltIsSeenOnStderr(t *testing.T) {
	r := reading.New()
	r.Agent("main").Traits.Graceful = true
	tell(t, r, "start")
	r.Apply(eventlog.Event{Agent: "main", Body: eventlog.Stderr{Text: "WARN codex_core::tasks: task 1 didn't complete grace"}})
	require.False(t, r.Spoilt)
	r.Apply(eventlog.Event{Agent: "main", Body: eventlog.Stderr{Text: "fully after 100ms\n"}})
	require.True(t, r.Spoilt, "also when the line comes in two pieces")
}

func TestTurnsAreNumberedByOurCalls(t *testing.T) {
	r := reading.New()
	tell(t, r, "start", startCall, started, startReply, completed) // announced before it is answered
	tell(t, r, `> {"id":6,"method":"thread/compact/start","params":{"threadId":"T"}}`,
		`< {"method":"turn/started","params":{"threadId":"T","turn":{"id":"t2"}}}`, `< {"id":6,"result":{}}`)
	require.Equal(t, 1, r.Agents["main"].Turn("t1").Number)
	require.Equal(t, 2, r.Agents["main"].Turn("t2").Number)
	require.NotContains(t, r.Unsettled(), "manual compaction", "its turn had begun before the answer")
}
