package responses

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// everything writes a response with all kinds of items.
func everything(text string) *Writer {
	w := NewWriter("resp_1", "m")
	w.Metadata(map[string]string{"x-a": text})
	w.Start()
	w.Reasoning("rs_1", []string{text, "b"}, []string{text}, "enc")
	w.Message("msg_1", []string{text, "", "b"})
	w.FunctionCall("fc_1", "call_1", "ns", "tool", `{"a":"b"}`)
	w.CustomToolCall("ctc_1", "call_2", "apply_patch", text)
	w.Item(LocalShellCall("lsh_1", "call_3", json.RawMessage(`{"type":"exec"}`)))
	w.Item(ToolSearchCall("ts_1", "call_4", json.RawMessage(`{"query":"x"}`)))
	w.Item(WebSearchCall("ws_1", json.RawMessage(`{"type":"search"}`)))
	w.Item(ImageGenerationCall("ig_1", "AAAA"))
	w.Item(MCPCall("mcp_1", "server", "tool", `{}`, text))
	w.Item(Compaction("cmp_1", text))
	w.Complete(&Usage{InputTokens: 3, InputTokensDetails: InputDetails{1}, OutputTokens: 4, OutputTokensDetails: OutputDetails{2}, TotalTokens: 7})
	return w
}

func TestFramesAreWhatJSONSays(t *testing.T) {
	for _, text := range []string{"plain", "ä \"quoted\" \\ <tag> & \n\x00 \u2028", string([]byte{0xff, 'x'})} {
		w := everything(text)
		response, err := json.Marshal(w.Response)
		require.NoError(t, err)
		require.Equal(t, string(response), string(w.Response.append(nil)))
		for i, e := range w.Events[1:] { // the first is marshaled: see TestMetadata
			var f struct {
				Type     string `json:"type"`
				Sequence int    `json:"sequence_number"`
				frame
			}
			require.NoError(t, json.Unmarshal(e.Data, &f), "%s", e.Data)
			if f.Response != nil && f.Response.Tools == nil {
				f.Response.Tools = []string{}
			}
			again, err := json.Marshal(f)
			require.NoError(t, err)
			require.JSONEq(t, string(again), string(e.Data))
			require.Equal(t, i+1, f.Sequence)
			require.Equal(t, e.Type, f.Type)
		}
	}
}

func TestItemsAreWhatJSONSays(t *testing.T) {
	for _, data := range everything("ä \"x\"").Response.Output {
		var it Item
		require.NoError(t, json.Unmarshal(data, &it))
		again, err := json.Marshal(it)
		require.NoError(t, err)
		require.JSONEq(t, string(again), string(data))
	}
}

func TestMetadata(t *testing.T) {
	e := everything("a").Events[0]
	require.Equal(t, Event{"response.metadata", json.RawMessage(`{"type":"response.metadata","sequence_number":0,"headers":{"x-a":"a"}}`)}, e)
}

func TestEnds(t *testing.T) {
	w := NewWriter("r", "m")
	w.Fail("server_error", "oops")
	require.Contains(t, string(w.Events[0].Data), `"error":{"code":"server_error","message":"oops"}`)
	w = NewWriter("r", "m")
	w.Incomplete("max_output_tokens", nil)
	require.Contains(t, string(w.Events[0].Data), `"incomplete_details":{"reason":"max_output_tokens"}`)
	require.NotContains(t, string(w.Events[0].Data), "usage")
}
