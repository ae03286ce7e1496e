package mockprovider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	mp "github.com/heldstream/heldstream/mockprovider"
)

func TestSocketCommentsArePings(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Frame: mp.Frame{Comments: &mp.Comments{Times: 2, Before: "response.completed"}}}}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		pings := 0
		c, _, err := r.dial("/v1/responses", func(o *websocket.DialOptions) {
			o.OnPingReceived = func(context.Context, []byte) bool { pings++; return true }
		})
		require.NoError(t, err)
		defer c.c.CloseNow()
		c.send("", "a")
		require.Len(t, c.until("response.completed"), 3, "a ping is no event")
		require.Equal(t, 2, pings)
	})
}

func TestSocketPingsEndWithAClientThatAnswersNone(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Frame: mp.Frame{Comments: &mp.Comments{Times: 1, Before: "response.created"}}}}}
	inBubble(t, &mp.Server{Script: script, Limits: mp.Limits{Write: time.Second}}, func(t *testing.T, r *rig) {
		c, _, err := r.dial("/v1/responses", func(o *websocket.DialOptions) {
			o.OnPingReceived = func(context.Context, []byte) bool { return false }
		})
		require.NoError(t, err)
		defer c.c.CloseNow()
		c.send("", "a")
		require.Error(t, c.closed())
		require.Equal(t, "#1 gone", last(r.takeLog()))
	})
}

// firstRead reads up to n bytes of the first frame of the next message.
func (s *socket) firstRead(n int) (string, io.Reader) {
	_, from, err := s.c.Reader(s.r.t.Context())
	require.NoError(s.r.t, err)
	buf := make([]byte, n)
	n, err = from.Read(buf)
	require.NoError(s.r.t, err)
	return string(buf[:n]), from
}

func TestSocketChunksAreFragments(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Say: []string{"naïve"}, Frame: mp.Frame{Chunk: 7}}}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		s := r.connect()
		defer s.c.CloseNow()
		s.send("", "a")
		begin, rest := s.firstRead(1024)
		require.Equal(t, `{"type"`, begin)
		whole, err := io.ReadAll(rest)
		require.NoError(t, err)
		require.Equal(t, "response.created", gjson.Get(begin+string(whole), "type").Str)
		require.Contains(t, last(s.until("response.completed")).Raw, "naïve")
	})
}

func TestSocketCutAtAByte(t *testing.T) {
	const first = `{"type":"first"}`
	for name, size := range map[string]int{"7 bits of length": 1, "16 bits of length": 300, "64 bits of length": 1 << 16} {
		t.Run(name, func(t *testing.T) {
			second := fmt.Sprintf(`{"type":"second","text":%q}`, strings.Repeat("x", size))
			script := &mp.Script{Replies: []mp.Reply{{
				To: mp.Turn, Malformed: true, Cut: &mp.Cut{Bytes: len(first) + 20},
				Events: []json.RawMessage{json.RawMessage(first), json.RawMessage(second)},
			}}}
			inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
				s := r.connect()
				s.send("", "a")
				require.Equal(t, first, s.next().Raw)
				begin, rest := s.firstRead(10) // at 20 the client would take the break for the end
				more, err := io.ReadAll(rest)
				require.Error(t, err, "the frame has no end")
				require.Equal(t, second[:20], begin+string(more))
				require.Equal(t, []string{"#1 arrived turn 1.1 reply 0", "#1 > first", "#1 > second", "#1 > cut", "#1 ended cut"}, r.takeLog())
			})
		})
	}
}

func TestSocketCutBetweenMessages(t *testing.T) {
	const first = `{"type":"first"}`
	script := &mp.Script{Replies: []mp.Reply{{
		To: mp.Turn, Malformed: true, Cut: &mp.Cut{Bytes: len(first)},
		Events: []json.RawMessage{json.RawMessage(first), json.RawMessage(first)},
	}}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		s := r.connect()
		s.send("", "a")
		require.Equal(t, first, s.next().Raw)
		require.Error(t, s.closed())
	})
}

func TestSocketTellsRateLimits(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Headers: map[string]string{
		"x-codex-primary-used-percent": "12.5", "x-codex-primary-window-minutes": "300", "X-Codex-Primary-Reset-At": "1700000000",
	}}}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		s := r.connect()
		defer s.c.CloseNow()
		s.send("", "a")
		require.Equal(t, "12.5", s.next().Get("headers.x-codex-primary-used-percent").Str)
		require.JSONEq(t, `{"type":"codex.rate_limits","rate_limits":{"allowed":true,"limit_reached":false,
			"primary":{"used_percent":12.5,"window_minutes":300,"reset_at":1700000000},"secondary":null}}`, s.next().Raw)
		s.until("response.completed")
	})
}

func TestSocketNotesWhatAsksForNothing(t *testing.T) {
	inBubble(t, &mp.Server{Script: sayN}, func(t *testing.T, r *rig) {
		s := r.connect()
		defer s.c.CloseNow()
		const processed = `{"type":"response.processed","response_id":"resp_1"}`
		require.NoError(t, s.c.Write(r.t.Context(), websocket.MessageText, []byte(processed)))
		e := last(r.seen())
		require.Equal(t, mp.Noted, e.Kind)
		require.Equal(t, "response.processed", e.What)
		require.Equal(t, processed, string(e.Data))
		require.Equal(t, 1, e.Exchange.Connection)
	})
}
