package tape_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex/tape"
)

func small() *tape.Tape {
	return &tape.Tape{
		Head: tape.Head{Codex: "0.171.0", Recorder: tape.Recorder, Scenario: "sha256:00", Variant: "send=steer"},
		Sections: []tape.Section{{
			Agent: "main",
			Lines: []tape.Line{
				{Mark: '>', Verb: tape.Call, N: 1, Name: "initialize", Data: json.RawMessage(`{"clientInfo":{"name":"heldstream"}}`)},
				{Mark: '<', Verb: tape.Answer, N: 1, Data: json.RawMessage(`{"userAgent":"heldstream/0.171.0"}`)},
				{Mark: '>', Verb: tape.Note, Name: "initialized"},
				{Mark: '?', Thread: "main-T1", Verb: tape.Ask, N: 1, Name: "turn", Data: json.RawMessage(`{"body":{"input":[]},"method":"POST","path":"/v1/responses"}`)},
				{Mark: '~', Thread: "main-T1", Verb: tape.Event, N: 1, Name: tape.Headers},
				{Mark: '~', Thread: "main-T1", Verb: tape.Event, N: 1, Name: "response.created", Data: json.RawMessage(`"#00ff"`)},
				{Mark: 'x', Thread: "main-T1", Verb: tape.Leave, N: 1},
				{Mark: '?', Verb: tape.Ask, N: 1, Tools: true, Name: "tools/list", Data: json.RawMessage(`{"method":"POST","path":"/mcp"}`)},
				{Mark: '~', Verb: tape.Event, N: 1, Tools: true, Name: tape.End},
				{Mark: '|', Verb: tape.Release, Name: "tool"},
			},
			Rollout: []json.RawMessage{json.RawMessage(`{"type":"session_meta"}`)},
			Exit:    tape.Exit{Asked: "close"},
		}},
	}
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	data, err := tape.Format(small())
	require.NoError(t, err)
	got, err := tape.Parse(data)
	require.NoError(t, err)
	require.Equal(t, small(), got)
}

func TestKeysAreSorted(t *testing.T) {
	tp := small()
	tp.Sections[0].Lines[0].Data = json.RawMessage(`{ "b": 1.50, "a": {"d": "<x>", "c": 12345678901234567890} }`)
	data, err := tape.Format(tp)
	require.NoError(t, err)
	require.Contains(t, string(data), `{"a":{"c":12345678901234567890,"d":"<x>"},"b":1.50}`, "numbers keep their digits, texts stay readable")
}

// sealed gives text a right end line, as somebody would who edits on purpose.
func sealed(text string) []byte {
	return []byte(text + fmt.Sprintf("end %d sha256:%x\n", strings.Count(text, "\n"), sha256.Sum256([]byte(text))))
}

const head = `tape 1 {"codex":"0.171.0","recorder":1,"scenario":"sha256:00"}` + "\n"

func TestWhatIsNoTapeIsRefused(t *testing.T) {
	good, err := tape.Format(small())
	require.NoError(t, err)
	in := func(lines ...string) []byte {
		return sealed(head + "spawn main\n" + strings.Join(lines, "\n") + "\nexit {\"asked\":\"close\",\"code\":0}\n")
	}
	for _, tt := range []struct {
		name string
		data []byte
		says string
	}{
		{"empty", nil, "end line is missing"},
		{"cut off", good[:len(good)/2], "end line is missing"},
		{"cut off behind a line", good[:bytes.LastIndexByte(good[:len(good)-1], '\n')+1], "end line is missing"},
		{"edited", bytes.Replace(good, []byte("initialized"), []byte("initialised"), 1), "edited or damaged"},
		{"a line taken out", bytes.Replace(good, []byte("> - note initialized\n"), nil, 1), "edited or damaged"},
		{"something behind the end", append(bytes.Clone(good), "x\n"...), "end line is missing"},
		{"wrong count", []byte(head + fmt.Sprintf("end 7 sha256:%x\n", sha256.Sum256([]byte(head)))), "1 lines, 7 by its end line"},
		{"another form", sealed("tape 2 {}\n"), "no tape of form 1"},
		{"another recorder", sealed(`tape 1 {"codex":"1","recorder":9,"scenario":"s"}` + "\n"), "made by recorder 9"},
		{"no text", []byte{0xff, 0xfe}, "no UTF-8"},
		{"no exit", sealed(head + "spawn main\n"), "no exit line"},
		{"line of no process", sealed(head + "> - note initialized\n"), "stands in no process"},
		{"unknown verb", in("> - shout x"), "nothing that > does"},
		{"verb of another", in("< - release g"), "nothing that < does"},
		{"no number", in("> - call x initialize"), "no number"},
		{"huge number", in("> - call 99999999 initialize"), "no number"},
		{"name with a control character", in("> - note a\x1b[31m"), "no name"},
		{"answer to nothing", in("< - answer 1 {}"), "no call 1 waits"},
		{"two answers", in("> - call 1 a", "< - answer 1 {}", "< - answer 1 {}"), "no call 1 waits"},
		{"the same call twice", in("> - call 1 a", "> - call 1 a"), "call 1 already"},
		{"event of no request", in("~ - event 1 headers"), "no request 1"},
		{"event after the end", in(`? - request 1 turn {"method":"POST","path":"/v1/responses"}`, "~ - event 1 end", "~ - event 1 headers"), "request 1 is over"},
		{"event of a request to the provider, not to the tools", in(`? - request m1 tools/list {"method":"POST","path":"/mcp"}`, "~ - event 1 end"), "no request 1"},
		{"a call that is of the tools", in("> - call m1 a"), "no number"},
		{"tools over a WebSocket", in(`? - request m1 tools/list {"connection":1,"method":"POST","path":"/mcp"}`), "no WebSocket"},
		{"request to another host", in(`? - request 1 turn {"method":"POST","path":"http://example.com/"}`), "no path"},
		{"request that splits a header", in(`? - request 1 turn {"method":"POST","path":"/v1\r\nX: y"}`), "no path"},
		{"keys not sorted", in(`> - note a {"b":1,"a":2}`), "not as a recorder writes it"},
		{"no JSON", in(`> - note a {"b":`), "unexpected"},
		{"deep", in("> - note a " + strings.Repeat("[", 100_000)), "nest deeper"},
		{"deep in the head", sealed("tape 1 " + strings.Repeat(`{"a":`, 100_000) + "\n"), "nest deeper"},
		{"long line", in("> - note a " + `"` + strings.Repeat("x", 3<<20) + `"`), "more than the"},
		{"huge", bytes.Repeat([]byte("x\n"), tape.MaxBytes), "more than the"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tape.Parse(tt.data)
			require.ErrorContains(t, err, tt.says)
			require.Less(t, len(err.Error()), 300, "an error does not repeat a bomb")
		})
	}
}
