package mockprovider_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	mp "github.com/heldstream/heldstream/mockprovider"
)

func TestSocketPrewarmAndNextTurn(t *testing.T) {
	inBubble(t, &mp.Server{Script: &mp.Script{Replies: []mp.Reply{{To: mp.AnyClass, Times: 2, Say: []string{"reply ${n}"}}}}}, func(t *testing.T, r *rig) {
		s := r.connect()
		defer s.c.CloseNow()
		s.send(`"generate":false,`)
		warm := last(s.until("response.completed")).Get("response.id").Str
		require.Equal(t, "resp_p1", warm)
		s.send(fmt.Sprintf(`"previous_response_id":%q,`, warm), "one")
		first := s.until("response.completed")
		require.Equal(t, "reply 1", last(first).Get("response.output.0.content.0.text").Str, "the prewarm used up no reply")
		s.send(fmt.Sprintf(`"previous_response_id":%q,`, last(first).Get("response.id").Str), "two")
		require.Contains(t, last(s.until("response.completed")).Raw, "reply 2")
		events := r.seen()
		x := events[len(events)-1].Exchange
		require.True(t, x.Incremental)
		require.Equal(t, 1, x.Connection)
		require.Equal(t, "websocket", x.Transport)
	})
}

func TestSocketUnknownPreviousResponse(t *testing.T) {
	inBubble(t, &mp.Server{Script: sayN}, func(t *testing.T, r *rig) {
		s := r.connect()
		defer s.c.CloseNow()
		s.send(`"previous_response_id":"resp_77",`, "x")
		e := s.next()
		require.Equal(t, "error", e.Get("type").Str)
		require.Equal(t, "previous_response_not_found", e.Get("error.code").Str)
		require.EqualValues(t, 400, e.Get("status").Int())
		s.send("", "x")
		require.Contains(t, last(s.until("response.completed")).Raw, "reply 1", "the connection lives on, and the retry is no new request")
	})
}

func TestSocketStoresAreApart(t *testing.T) {
	inBubble(t, &mp.Server{Script: sayN}, func(t *testing.T, r *rig) {
		a, b := r.connect(), r.connect()
		defer a.c.CloseNow()
		defer b.c.CloseNow()
		a.send("", "x")
		id := last(a.until("response.completed")).Get("response.id").Str
		b.send(fmt.Sprintf(`"previous_response_id":%q,`, id), "y")
		require.Equal(t, "previous_response_not_found", b.next().Get("error.code").Str)
	})
}

func TestSocketLanes(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{
		{To: mp.Turn, Match: mp.Match{User: &mp.Text{Contains: "slow"}}, Holds: []mp.Hold{{Gate: "g", Before: "response.completed"}}},
		{To: mp.Turn},
	}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		s := r.connect()
		defer s.c.CloseNow()
		s.send(`"stream_id":"a",`, "slow")
		s.send(`"stream_id":"a",`, "behind it")
		s.send(`"stream_id":"b",`, "fast")
		last := map[string]string{}
		for range 5 { // two of lane a, all three of lane b
			e := s.next()
			last[e.Get("stream_id").Str] = e.Get("type").Str
		}
		require.Equal(t, map[string]string{"a": "response.in_progress", "b": "response.completed"}, last)
		synctest.Wait()
		require.Len(t, r.srv.Held("g"), 1, "the second of lane a waits for the first")
		r.srv.Release(mp.Release{Gate: "g"})
		for range 4 {
			require.Equal(t, "a", s.next().Get("stream_id").Str)
		}
	})
}

func TestSocketHeadersStatusAndClose(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{
		{To: mp.Turn, Times: 1, Headers: map[string]string{"x-codex-turn-state": "S"}},
		{To: mp.Turn, Times: 1, Status: 429, End: "failed:usage_limit_reached", Headers: map[string]string{"retry-after": "1"}},
		{To: mp.Turn, Times: 1, Cut: &mp.Cut{After: "response.created", How: "close:1011"}},
	}}
	turn := func(n int) string { return fmt.Sprintf(`"client_metadata":{"thread_id":"T","turn_id":"%d"},`, n) }
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		s := r.connect()
		s.send(turn(1), "a")
		require.Equal(t, "S", s.next().Get("headers.x-codex-turn-state").Str)
		s.until("response.completed")
		s.send(turn(2), "b")
		e := s.next()
		require.EqualValues(t, 429, e.Get("status").Int())
		require.Equal(t, "usage_limit_reached", e.Get("error.code").Str)
		require.Equal(t, "1", e.Get("headers.retry-after").Str)
		require.Equal(t, websocket.StatusNormalClosure, websocket.CloseStatus(s.closed()))
		s = r.connect()
		s.send(turn(3), "c")
		s.next()
		require.Equal(t, websocket.StatusInternalError, websocket.CloseStatus(s.closed()))
	})
}

func TestSocketClientVanishes(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Holds: []mp.Hold{{Gate: "g"}}}}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		s := r.connect()
		s.send("", "a")
		require.Equal(t, []string{"#1 arrived turn 1.1 reply 0", "#1 held g response.created"}, r.takeLog())
		require.NoError(t, s.c.CloseNow())
		require.Equal(t, []string{"#1 gone"}, r.takeLog())
	})
}

func TestSocketUpgrades(t *testing.T) {
	with := func(u mp.Upgrade) *mp.Script { return &mp.Script{Replies: sayN.Replies, Upgrade: &u} }
	t.Run("refused a number of times", func(t *testing.T) {
		inBubble(t, &mp.Server{Script: with(mp.Upgrade{Status: 426, Times: 1})}, func(t *testing.T, r *rig) {
			_, resp, err := r.dial("/v1/responses")
			require.Error(t, err)
			require.Equal(t, 426, resp.StatusCode)
			s := r.connect()
			require.NoError(t, s.c.CloseNow())
			require.Equal(t, "#1 arrived handshake 1.1 reply -1", r.takeLog()[0])
		})
	})
	t.Run("reset", func(t *testing.T) {
		inBubble(t, &mp.Server{Script: with(mp.Upgrade{How: "reset"})}, func(t *testing.T, r *rig) {
			require.Error(t, r.connect().closed())
		})
	})
	t.Run("silent", func(t *testing.T) {
		inBubble(t, &mp.Server{Script: with(mp.Upgrade{How: "silent"})}, func(t *testing.T, r *rig) {
			s := r.connect()
			require.Empty(t, r.takeLog())
			require.NoError(t, s.c.CloseNow())
		})
	})
	t.Run("hang", func(t *testing.T) {
		inBubble(t, &mp.Server{Script: with(mp.Upgrade{How: "hang"})}, func(t *testing.T, r *rig) {
			done := make(chan error)
			go func() { _, _, err := r.dial("/v1/responses"); done <- err }()
			require.Equal(t, []string{"#1 arrived handshake 1.1 reply -1"}, r.takeLog())
			r.srv.Close()
			require.Error(t, <-done)
		})
	})
	t.Run("headers", func(t *testing.T) {
		inBubble(t, &mp.Server{Script: with(mp.Upgrade{Headers: map[string]string{"x-codex-websocket-max-message-bytes": "9"}})}, func(t *testing.T, r *rig) {
			s, resp, err := r.dial("/v1/responses", func(o *websocket.DialOptions) { o.CompressionMode = websocket.CompressionNoContextTakeover })
			require.NoError(t, err)
			require.Equal(t, "9", resp.Header.Get("x-codex-websocket-max-message-bytes"))
			require.Contains(t, resp.Header.Get("Sec-WebSocket-Extensions"), "permessage-deflate")
			require.NoError(t, s.c.CloseNow())
		})
	})
	t.Run("unknown path", func(t *testing.T) {
		inBubble(t, &mp.Server{Script: sayN}, func(t *testing.T, r *rig) {
			_, resp, err := r.dial("/v1/other")
			require.Error(t, err)
			require.Equal(t, 404, resp.StatusCode)
			require.Contains(t, r.takeLog()[0], "#1 unmatched the script serves no WebSocket at /v1/other")
		})
	})
}

func TestSocketNonsense(t *testing.T) {
	inBubble(t, &mp.Server{Script: sayN}, func(t *testing.T, r *rig) {
		s := r.connect()
		ctx := r.t.Context()
		require.NoError(t, s.c.Write(ctx, websocket.MessageText, []byte(`{"type":"response.processed","response_id":"x"}`)))
		require.NoError(t, s.c.Write(ctx, websocket.MessageText, []byte("{")))
		require.Equal(t, "invalid_json", s.next().Get("error.code").Str)
		require.Equal(t, websocket.StatusNormalClosure, websocket.CloseStatus(s.closed()))
		s = r.connect()
		require.NoError(t, s.c.Write(ctx, websocket.MessageBinary, []byte("x")))
		require.Equal(t, websocket.StatusUnsupportedData, websocket.CloseStatus(s.closed()))
	})
}

func TestSocketFlood(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Holds: []mp.Hold{{Gate: "g"}}}}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		s := r.connect()
		closed := make(chan error, 1)
		go func() { closed <- s.closed() }()
		for range 100 {
			if s.c.Write(r.t.Context(), websocket.MessageText, []byte(`{"type":"response.create"}`)) != nil {
				break
			}
		}
		require.Equal(t, websocket.StatusPolicyViolation, websocket.CloseStatus(<-closed))
	})
}

func TestRealtime(t *testing.T) {
	inBubble(t, &mp.Server{Script: &mp.Script{Realtime: &mp.Realtime{Hold: "rt"}}}, func(t *testing.T, r *rig) {
		s, _, err := r.dial("/v1/realtime?model=gpt-realtime")
		require.NoError(t, err)
		defer s.c.CloseNow()
		require.NoError(t, s.c.Write(r.t.Context(), websocket.MessageText, []byte(`{"type":"session.update","session":{"instructions":"backend prompt"}}`)))
		require.Equal(t, []string{"#1 arrived side 1.1 reply -1", "#1 held rt session.updated"}, r.takeLog())
		r.srv.Release(mp.Release{Gate: "rt"})
		e := s.next()
		require.Equal(t, "session.updated", e.Get("type").Str)
		require.Equal(t, "backend prompt", e.Get("session.instructions").Str)
		require.Equal(t, []string{"#1 released rt", "#1 > session.updated", "#1 ended"}, r.takeLog())
		require.NoError(t, s.c.Write(r.t.Context(), websocket.MessageText, []byte(`{"type":"conversation.item.create"}`)))
		require.Equal(t, []string{"#0 noted"}, r.takeLog(), "the socket stays open")
	})
}

// A server that runs for long must not keep what it will never say again: the
// room is for the script's replies.
func TestRealtimeSessionsAreNotKept(t *testing.T) {
	script := &mp.Script{Realtime: &mp.Realtime{}, Replies: []mp.Reply{{To: mp.Turn, Say: []string{"x"}}}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		for range 3 {
			s, _, err := r.dial("/v1/realtime?model=gpt-realtime")
			require.NoError(t, err)
			require.NoError(t, s.c.Write(t.Context(), websocket.MessageText, []byte(`{"type":"session.update","session":{}}`)))
			require.Equal(t, "session.updated", s.next().Get("type").Str)
			require.NoError(t, s.c.CloseNow())
		}
		require.Zero(t, r.srv.Kept())
		s := r.connect()
		defer s.c.CloseNow()
		s.send("", "a")
		s.until("response.completed")
		require.Equal(t, 1, r.srv.Kept())
	})
}

func TestSocketHoldsTheClientToAccount(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Say: []string{"x"}, Call: []mp.Call{{Tool: "f"}}}}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		s := r.connect()
		defer s.c.CloseNow()
		s.send("", "a")
		id := last(s.until("response.completed")).Get("response.id").Str
		tail := func(items ...string) []byte {
			return []byte(fmt.Sprintf(`{"type":"response.create","previous_response_id":%q,"input":[%s]}`, id, strings.Join(items, ",")))
		}
		output := `{"type":"function_call_output","call_id":"call_1","output":"o"}`
		for _, tt := range []struct {
			msg  []byte
			want string
		}{
			{tail(output), ""},
			{tail(), "a call without an output"},
			{tail(`{"type":"message","role":"assistant","id":"msg_1","content":[]}`, output), "a second item with this id"},
			{tail(output, output), "a second output for the same call"},
		} {
			require.True(t, json.Valid(tt.msg))
			r.takeLog()
			require.NoError(t, s.c.Write(r.t.Context(), websocket.MessageText, tt.msg))
			s.until("response.completed")
			log := strings.Join(r.takeLog(), "\n")
			require.Equal(t, tt.want != "", strings.Contains(log, "violation"), log)
			require.Contains(t, log, tt.want)
		}
	})
}
