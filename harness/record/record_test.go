package record_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/record"
)

// fake is a backend whose process does what the test says.
type fake struct {
	cb      codex.Callbacks
	written []string
}

func (f *fake) Start(_ codex.Command, cb codex.Callbacks) (codex.Process, error) {
	f.cb = cb
	return f, nil
}
func (f *fake) Write(line []byte) { f.written = append(f.written, string(line)) }
func (f *fake) Close()            { f.cb.Exit(codex.Exit{}) }
func (f *fake) Kill()             { f.cb.Exit(codex.Exit{Code: -1, Signal: "killed"}) }

const (
	thread = "01a22d27-32e8-7561-b632-3add88a413b8"
	child  = "01a22d27-0000-7561-b632-3add88a413b8"
	turn   = "01a22d27-32fc-7df1-830b-03c0d9926fbe"
	item   = "01a22d27-332b-7373-ac7f-08e5b28963c4"
)

// run records what do does and returns the tape's text.
func run(t *testing.T, do func(say, hear func(string), log func(eventlog.Body))) string {
	t.Helper()
	return runWith(t, func(_ *record.Recorder, say, hear func(string), log func(eventlog.Body)) { do(say, hear, log) })
}

func runWith(t *testing.T, do func(r *record.Recorder, say, hear func(string), log func(eventlog.Body))) string {
	t.Helper()
	r := &record.Recorder{
		Places:  func(cmd codex.Command) tape.Places { return tape.Places{"cwd": cmd.Dir, "provider": "127.0.0.1:4711"} },
		Rollout: map[string]bool{"session_meta": true},
	}
	f := &fake{}
	p, err := r.Backend(f).Start(codex.Command{Agent: "main", Dir: "/run/one"}, codex.Callbacks{
		Line: func([]byte) {}, Exit: func(codex.Exit) {},
	})
	require.NoError(t, err)
	do(r, func(l string) { p.Write([]byte(l)) }, func(l string) { f.cb.Line([]byte(l)) },
		func(b eventlog.Body) { r.Read(eventlog.Event{Agent: "main", Body: b}) })
	p.Close()
	tp, err := r.Tape(tape.Head{Codex: "0.171.0", Scenario: "sha256:00"})
	require.NoError(t, err)
	data, err := tape.Format(tp)
	require.NoError(t, err)
	_, err = tape.Parse(data)
	require.NoError(t, err, "what is recorded can be read back")
	return string(data)
}

func TestIDsGetNamesByTheirKeysAndAreReplacedEverywhere(t *testing.T) {
	text := run(t, func(say, hear func(string), log func(eventlog.Body)) {
		say(`{"id":1,"method":"thread/start","params":{"cwd":"/run/one"}}`)
		hear(`{"id":1,"result":{"thread":{"id":"` + thread + `","createdAt":1796053872,"path":"/run/one/sessions/2026/11/30/rollout-2026-11-30T15-51-12-` + thread + `.jsonl"}}}`)
		say(`{"id":2,"method":"turn/start","params":{"clientUserMessageId":"mine","threadId":"` + thread + `","input":[{"text":"say mine in ` + thread + `"}]}}`)
		hear(`{"method":"turn/started","params":{"threadId":"` + thread + `","turn":{"id":"` + turn + `"}},"emittedAtMs":5}`)
		hear(`{"id":2,"result":{"turn":{"id":"` + turn + `","startedAt":null}}}`)
		hear(`{"method":"item/started","params":{"threadId":"` + thread + `","turnId":"` + turn + `","item":{"id":"` + item + `","clientId":"mine"}}}`)
		hear(`{"method":"thread/started","params":{"thread":{"id":"` + child + `","parentThreadId":"` + thread + `"}}}`)
	})
	for _, want := range []string{
		`> - call 1 thread/start {"cwd":"{{cwd}}"}`,
		`"createdAt":0,"id":"main-T1","path":"{{cwd}}/sessions/2026/01/01/rollout-2026-01-01T00-00-00-main-T1.jsonl"`,
		`> main-T1 call 2 turn/start {"clientUserMessageId":"{{client:1}}","input":[{"text":"say mine in main-T1"}],"threadId":"main-T1"}`,
		`< main-T1 note turn/started {"threadId":"main-T1","turn":{"id":"main-T1-turn-1"}}`,
		`< main-T1 answer 2 {"turn":{"id":"main-T1-turn-1","startedAt":null}}`,
		`"item":{"clientId":"{{client:1}}","id":"main-T1-item-1"}`,
		`< main-T1.1 note thread/started {"thread":{"id":"main-T1.1","parentThreadId":"main-T1"}}`,
		`exit {"asked":"close","code":0}`,
	} {
		require.Contains(t, text, want)
	}
}

func TestTheRequestKeepsWhatTheScenarioSaidAndNotWhatCodexSays(t *testing.T) {
	prompt := strings.Repeat("You are a coding agent. ", 400)
	body := map[string]any{
		"instructions": prompt,
		"tools":        []any{map[string]any{"type": "function", "name": "exec_command", "description": prompt}},
		"input": []any{
			map[string]any{"role": "developer", "content": []any{map[string]any{"text": "<permissions instructions>" + prompt}}},
			map[string]any{"role": "developer", "content": "injected by the scenario"},
			map[string]any{
				"role": "developer", "content": []any{map[string]any{"text": "<realtime_conversation>of the config"}, map[string]any{"text": "<skills>" + prompt}},
				"internal_chat_message_metadata_passthrough": map[string]any{"content_item_kinds": []any{"realtime_conversation.custom_start_instructions", "x"}},
			},
			map[string]any{"role": "user", "content": "<environment_context>\n<cwd>/run/one</cwd> on a Monday"},
			map[string]any{"role": "user", "content": "hello"},
			map[string]any{"role": "user", "content": "Another language model started to solve this problem and produced a summary of it\nSUMMARY"},
		},
		"client_metadata": map[string]any{"x-codex-turn-metadata": `{"turn_started_at_unix_ms":1796053873,"thread_id":"` + thread + `","request_kind":"turn"}`},
	}
	payload, err := json.Marshal(body)
	require.NoError(t, err)
	text := run(t, func(say, _ func(string), log func(eventlog.Body)) {
		say(`{"method":"inject","params":{"text":"injected by the scenario"}}`)
		log(eventlog.Request{ID: 7, Thread: thread, Class: "turn", Method: "POST", Path: "/v1/responses", Transport: "sse", Payload: payload,
			Header: http.Header{"Thread-Id": {thread}, "Host": {"127.0.0.1:4711"}, "Content-Length": {"9"}}})
		log(eventlog.Sent{ID: 7, What: "headers"})
		log(eventlog.Sent{ID: 7, What: "response.created", Data: json.RawMessage(`{"a":1}`)})
		log(eventlog.Gone{ID: 7})
		log(eventlog.Sent{ID: 7, What: "late"})
	})
	require.NotContains(t, text, "coding agent")
	require.NotContains(t, text, "Monday")
	require.NotContains(t, text, "Content-Length")
	require.NotContains(t, text, "late", "what comes after codex has left tells it nothing")
	for _, want := range []string{
		`{"content":"injected by the scenario","role":"developer"}`, `{"content":"hello","role":"user"}`,
		`"<realtime_conversation>of the config"`, `:<permissions instructions>}}`, `:<environment_context>}}"`,
		`:Another language model started to solve this problem and produced a summary}}\nSUMMARY`,
		`"name":"exec_command","type":"function"`,
		`{\"request_kind\":\"turn\",\"thread_id\":\"main-T1\",\"turn_started_at_unix_ms\":0}`,
		"~ main-T1 event 1 headers\n~ main-T1 event 1 response.created \"#",
		"x main-T1 cut 1\n",
	} {
		require.Contains(t, text, want)
	}
}

// From tape the input has its members sorted and codex's texts only by length:
// what an answer gives back of it must not count by its bytes.
func TestAnAnswerIsTheSameHoweverItsRequestWasWritten(t *testing.T) {
	record := func(item string) string {
		return run(t, func(_, _ func(string), log func(eventlog.Body)) {
			log(eventlog.Request{ID: 1, Thread: thread, Class: "compaction.v1", Method: "POST", Path: "/v1/responses/compact",
				Transport: "sse", Payload: json.RawMessage(`{"input":[` + item + `]}`)})
			log(eventlog.Sent{ID: 1, What: "headers"})
			log(eventlog.Sent{ID: 1, What: "body", Data: json.RawMessage(`{"output":[` + item + `,{"own":1}]}`)})
			log(eventlog.Sent{ID: 1, What: "end"})
		})
	}
	require.Equal(t, record(`{"role":"user","content":"hello"}`), record(`{"content":"hello","role":"user"}`))
}

func TestSecretsNeverGetIntoATape(t *testing.T) {
	secrets := []string{
		"sk-proj-" + strings.Repeat("a1B2", 10), "ghp_" + strings.Repeat("Zz9", 12), "github_pat_" + strings.Repeat("x", 30),
		"xoxb-1234567890-abcdef", "AKIAIOSFODNN7EXAMPLE", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
		"/home/somebody", "/Users/Some.Body", "Bearer abcdefgh12345678",
		"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA\n-----END OPENSSH PRIVATE KEY-----",
	}
	for _, secret := range secrets {
		quoted, err := json.Marshal("before " + secret + " after")
		require.NoError(t, err)
		text := run(t, func(say, hear func(string), log func(eventlog.Body)) {
			say(`{"method":"a","params":{"text":` + string(quoted) + `}}`)
			hear(`{"method":"b","params":{"deep":[{"text":` + string(quoted) + `}]}}`)
			log(eventlog.Request{
				ID: 1, Class: "turn", Method: "POST", Path: "/v1/responses", Payload: json.RawMessage(`{"input":[{"role":"user","content":` + string(quoted) + `}]}`),
				Header: http.Header{"Authorization": {"Bearer " + secret}, "X-Api-Key": {secret}, "Cookie": {secret}, "Chatgpt-Token": {"plainvalue"}},
			})
			log(eventlog.Sent{ID: 1, What: "response.created", Data: json.RawMessage(`{"text":` + string(quoted) + `}`)})
			log(eventlog.Rollout{Lines: []json.RawMessage{json.RawMessage(`{"type":"session_meta","text":` + string(quoted) + `}`)}})
		})
		body, err := json.Marshal(secret)
		require.NoError(t, err)
		require.NotContains(t, text, strings.Trim(string(body), `"`), secret)
		require.NotContains(t, text, "plainvalue")
		require.Contains(t, text, "before (secret) after")
		require.Contains(t, text, "rollout ")
	}
}

func TestWhatCodexCannotNoticeIsNoPartOfAScenario(t *testing.T) {
	base := "about = \"a\"\n[[reply]]\nto = \"turn\"\nsay = \"x\"\n[[step]]\nrun = \"one\"\n[expect]\ncompactions = 0\n"
	hash := func(text string) string {
		f, faults := plan.Parse("s.toml", []byte(text), nil)
		require.Empty(t, faults)
		plans, faults := f.Variants(plan.Options{})
		require.Empty(t, faults)
		return record.Parts(plans[0])
	}
	for _, same := range []string{`about = "b"`, "# remark\n\nabout = \"a\""} {
		require.Equal(t, hash(base), hash(strings.Replace(base, `about = "a"`, same, 1)))
	}
	require.Equal(t, hash(base), hash(strings.Replace(base, "compactions = 0", "compactions = 1", 1)))
	for _, other := range [][2]string{{`say = "x"`, `say = "y"`}, {`"one"`, `"two"`}, {`run = "one"`, "run = \"one\"\nattached = [{ kind = \"text\", text = \"t\" }]"}, {"[[reply]]", "[codex.config]\nmodel = \"m\"\n[[reply]]"}} {
		require.NotEqual(t, hash(base), hash(strings.Replace(base, other[0], other[1], 1)))
	}
}
