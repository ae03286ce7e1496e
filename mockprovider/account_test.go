package mockprovider_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	mp "github.com/heldstream/heldstream/mockprovider"
)

func TestAccount(t *testing.T) {
	const (
		call   = `{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`
		output = `{"type":"function_call_output","call_id":"c1","output":"o"}`
	)
	for _, tt := range []struct {
		name, items, want string
	}{
		{"paired", call + "," + output, ""},
		{"custom", `{"type":"custom_tool_call","call_id":"x"},{"type":"custom_tool_call_output","call_id":"x"}`, ""},
		{"tool search by the server", `{"type":"tool_search_call","call_id":"x","execution":"server"},{"type":"tool_search_output","call_id":"x","execution":"server"}`, ""},
		{"web search has no output", `{"type":"web_search_call","status":"completed"}`, ""},
		{"no output", call, "a call without an output: " + call},
		{"no output of a custom call", `{"type":"custom_tool_call","call_id":"x"}`, "a call without an output"},
		{"no call", output, "input[0]: an output without a call before it: " + output},
		{"output first", output + "," + call, "input[0]: an output without a call before it"},
		{"two outputs", call + "," + output + "," + output, "input[2]: a second output for the same call"},
		{"two calls", call + "," + call + "," + output, "input[1]: a second call with this call_id"},
		{"other kind", call + `,{"type":"custom_tool_call_output","call_id":"c1"}`, "input[1]: an output of another kind than its call, function_call"},
		{"same id", `{"type":"message","id":"m_1"},{"type":"message","id":"m_1"}`, "input[1]: a second item with this id"},
		{"no call id", `{"type":"function_call","name":"f"}`, "input[0]: a call without a call_id"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, lenient := range []bool{false, true} {
				inBubble(t, &mp.Server{Script: sayN, Lenient: lenient}, func(t *testing.T, r *rig) {
					r.send("POST", "/v1/responses", `{"input":[`+tt.items+`]}`)
					var got string
					for _, e := range r.seen() {
						if e.Kind == mp.Violation {
							got = or(got, e.Text)
						}
					}
					if lenient {
						require.Empty(t, got)
						return
					}
					require.Contains(t, got, tt.want)
					require.Equal(t, tt.want == "", got == "")
				})
			}
		})
	}
}

func TestOutputsOfAResponseThatTheServerKeeps(t *testing.T) {
	const tail = `{"previous_response_id":"resp_1","input":[{"type":"function_call_output","call_id":"c","output":"x"}]}`
	inBubble(t, &mp.Server{Script: sayN}, func(t *testing.T, r *rig) {
		require.Equal(t, 200, r.send("POST", "/v1/responses", tail).status)
		for _, e := range r.seen() {
			require.NotEqual(t, mp.Violation, e.Kind, e.Text)
			require.False(t, e.Exchange.Incremental)
		}
	})
}
