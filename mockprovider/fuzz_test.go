package mockprovider_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	mp "github.com/heldstream/heldstream/mockprovider"
)

// everyMatch has each kind of condition, so that hostile input meets them all.
var everyMatch = &mp.Script{Window: 1 << 20, Replies: []mp.Reply{
	{To: mp.AnyClass, Match: mp.Match{User: &mp.Text{Re: "^x+$"}, Lacks: []string{"y"}, JSON: map[string]any{"input.#.type": "z"}}},
	{To: mp.AnyClass, Match: mp.Match{ToolOutput: &mp.ToolOutput{Contains: "o"}}},
	{To: mp.AnyClass, Say: []string{"${n}"}},
}}

func FuzzRequestBody(f *testing.F) {
	for _, encoding := range []string{"", "gzip", "zstd"} {
		f.Add([]byte(body("a", "b")), encoding)
		f.Add([]byte(trigger), encoding)
		f.Add([]byte(`{"input":[{"type":"function_call_output","output":{"a":[]}},7,null],"client_metadata":{"x-codex-turn-metadata":"{"}}`), encoding)
		f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0}, encoding)
	}
	f.Fuzz(func(t *testing.T, data []byte, encoding string) {
		srv := &mp.Server{Script: everyMatch, Limits: mp.Limits{Body: 1 << 20}}
		defer srv.Close()
		req := httptest.NewRequest(http.MethodPost, "/v1/responses", bytes.NewReader(data))
		req.Header.Set("Content-Encoding", encoding)
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, req)
		require.Contains(t, []int{200, 400, 413, 415}, w.Code)
		entries, _ := srv.Journal().Read(0, 1000)
		require.NotEmpty(t, entries, "nothing goes unrecorded")
		require.Equal(t, mp.Ended, entries[len(entries)-1].Kind)
		_, err := json.Marshal(entries[0].Exchange)
		require.NoError(t, err)
		if w.Code == 200 && w.Header().Get("Content-Type") == "application/json" {
			require.True(t, json.Valid(w.Body.Bytes()))
		}
	})
}

func FuzzSocketFrame(f *testing.F) {
	f.Add([]byte(`{"type":"response.create","input":"x","stream_id":"a","previous_response_id":"r"}`))
	f.Add([]byte(`{"type":"response.create","generate":false}`))
	f.Add([]byte(`[`))
	f.Add([]byte(`"response.create"`))
	srv := &mp.Server{Script: everyMatch, Limits: mp.Limits{Body: 1 << 16}}
	hs := httptest.NewServer(srv)
	f.Cleanup(func() { srv.Close(); hs.Close() })
	f.Fuzz(func(t *testing.T, data []byte) {
		c, _, err := websocket.Dial(t.Context(), hs.URL+"/v1/responses", nil)
		require.NoError(t, err)
		defer c.CloseNow()
		// What the fuzzer made may ask for nothing: the request after it says
		// that it was read, unless it cost the connection.
		for _, msg := range [][]byte{data, []byte(`{"type":"response.create","stream_id":"sentinel","input":"x"}`)} {
			if c.Write(t.Context(), websocket.MessageText, msg) != nil {
				return
			}
		}
		for {
			_, msg, err := c.Read(t.Context())
			if err != nil || gjson.GetBytes(msg, "stream_id").Str == "sentinel" && gjson.GetBytes(msg, "type").Str == "response.completed" {
				return
			}
		}
	})
}

func FuzzScript(f *testing.F) {
	f.Add([]byte(`{"Replies":[{"To":"turn","Say":["a"],"Holds":[{"Gate":"g","After":"headers"}],"Cut":{"Bytes":3},"Frame":{"Chunk":2}}]}`))
	f.Add([]byte(`{"Replies":[{"To":"any","Events":[{"type":"response.completed","response":{"id":"r"}}]}],"Models":[{"slug":"m"}]}`))
	f.Add([]byte(`{"Replies":[{"To":"compaction","Call":[{"Tool":"t","Args":{"a":1},"Kind":"mcp"}],"Attempts":[{"Status":500},{"End":"none"}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var sc mp.Script
		if json.Unmarshal(data, &sc) != nil {
			return
		}
		for _, fault := range sc.Check() {
			if !fault.Warning {
				return
			}
		}
		if waits(sc.Replies) {
			return // this is about what a sound script sends, not about when
		}
		srv := &mp.Server{Script: &sc}
		defer srv.Close()
		for range 3 { // from the second on replies are prepared
			serveOnce(srv)
		}
		entries, _ := srv.Journal().Read(0, 10_000)
		require.Equal(t, mp.Ended, entries[len(entries)-1].Kind)
	})
}

func serveOnce(srv *mp.Server) {
	defer func() {
		if r := recover(); r != nil && r != http.ErrAbortHandler { //nolint:errorlint // a cut, on a recorder
			panic(r)
		}
	}()
	srv.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/responses", bytes.NewReader([]byte(body("a")))))
}

func waits(replies []mp.Reply) bool {
	for _, r := range replies {
		c := r.Frame.Comments
		if len(r.Holds) > 0 || r.Delay > 0 || c != nil && (c.Every > 0 || c.Times > 100) || waits(r.Attempts) {
			return true
		}
	}
	return false
}
