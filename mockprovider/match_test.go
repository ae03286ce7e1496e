package mockprovider_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	mp "github.com/heldstream/heldstream/mockprovider"
)

func TestMatching(t *testing.T) {
	exact := "two words"
	withOutput := `{"model":"m","input":[{"type":"message","role":"user","content":"a"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"exit 0"}]}`
	for _, tt := range []struct {
		name  string
		match mp.Match
		body  string
		want  bool
		miss  string
	}{
		{"contained", mp.Match{User: &mp.Text{Contains: "wo"}}, body("one", "two words"), true, ""},
		{"only the last user text", mp.Match{User: &mp.Text{Contains: "one"}}, body("one", "two words"), false, `user: want some text with "one", got "two words"`},
		{"equal", mp.Match{User: &mp.Text{Is: &exact}}, body("two words"), true, ""},
		{"not equal", mp.Match{User: &mp.Text{Is: &exact}}, body("two words."), false, `user: want "two words", got "two words."`},
		{"expression", mp.Match{User: &mp.Text{Re: "^two"}}, body("two words"), true, ""},
		{"lacks", mp.Match{Lacks: []string{"one"}}, body("one", "two"), false, `lacks: want no "one", got it in the input`},
		{"model", mp.Match{Model: "n"}, body("a"), false, `model: want "n", got "m"`},
		{"agent", mp.Match{Agent: "b"}, body("a"), false, `agent: want "b", got "main"`},
		{"nth", mp.Match{Nth: 2}, body("a"), false, "nth: want 2, got 1"},
		{"json", mp.Match{JSON: map[string]any{"input.#": int64(1), "model": "m"}}, body("a"), true, ""},
		{"json differs", mp.Match{JSON: map[string]any{"stream": false}}, body("a"), false, "json stream: want false, got true"},
		{"json absent", mp.Match{JSON: map[string]any{"tools": "*"}}, body("a"), false, "json tools: want *, got nothing"},
		{"header", mp.Match{Header: map[string]mp.Text{"X-A": {Contains: "b"}}}, body("a"), false, `header X-A: want some text with "b", got ""`},
		{"tool output", mp.Match{ToolOutput: &mp.ToolOutput{Present: true}}, withOutput, true, ""},
		{"tool output with", mp.Match{ToolOutput: &mp.ToolOutput{Contains: "exit 0"}}, withOutput, true, ""},
		{"no tool output", mp.Match{ToolOutput: &mp.ToolOutput{}}, withOutput, false, "tool_output: want none, got 1 after the last user item"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			script := &mp.Script{Replies: []mp.Reply{{To: mp.Review}, {To: mp.Turn, Match: tt.match}}}
			inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
				got := r.send("POST", "/v1/responses", tt.body)
				require.Equal(t, tt.want, got.status == 200)
				if !tt.want {
					require.True(t, strings.HasSuffix(r.takeLog()[0], "nearest is reply[1]: "+tt.miss), "got %s", gjson.Get(got.raw, "error.message"))
				}
			})
		})
	}
}
