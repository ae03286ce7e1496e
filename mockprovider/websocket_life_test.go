package mockprovider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	mp "github.com/heldstream/heldstream/mockprovider"
)

func TestSocketWindowCountsWhatTheConnectionHas(t *testing.T) {
	script := &mp.Script{Window: 200, Replies: sayN.Replies}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		s := r.connect()
		defer s.c.CloseNow()
		s.send("", strings.Repeat("x", 600))
		id := last(s.until("response.completed")).Get("response.id").Str
		s.send(fmt.Sprintf(`"previous_response_id":%q,`, id), "b")
		require.Equal(t, "context_length_exceeded", s.next().Get("error.code").Str)
	})
}

func TestASilentSocketStaysOpen(t *testing.T) {
	inBubble(t, &mp.Server{Script: &mp.Script{Upgrade: &mp.Upgrade{How: "silent"}}}, func(t *testing.T, r *rig) {
		s := r.connect()
		s.send("", "a")
		ended := make(chan error, 1)
		go func() { ended <- s.closed() }()
		require.Empty(t, r.takeLog())
		select {
		case err := <-ended:
			t.Fatalf("it was closed: %v", err)
		default:
		}
		s.send("", "b")
		require.NoError(t, s.c.Ping(t.Context()))
		r.srv.Close()
		require.Error(t, <-ended)
	})
}

func TestAResetEndsIdleSocketsAndRepeatsNoNumber(t *testing.T) {
	inBubble(t, &mp.Server{Script: sayN}, func(t *testing.T, r *rig) {
		old := r.connect()
		old.send("", "a")
		require.Equal(t, "resp_1", last(old.until("response.completed")).Get("response.id").Str)
		r.takeLog()
		r.srv.Reset()
		require.Error(t, old.closed(), "what it knows is of the time before")
		next := r.connect()
		defer next.c.CloseNow()
		next.send("", "a")
		require.Equal(t, "resp_1", last(next.until("response.completed")).Get("response.id").Str)
		x := last(r.seen()).Exchange
		require.Equal(t, 2, x.ID, "the journal has both")
		require.Equal(t, 2, x.Connection)
	})
}

func TestAFaultyHandshakeIsLogged(t *testing.T) {
	inBubble(t, &mp.Server{Script: sayN}, func(t *testing.T, r *rig) {
		rep := r.send("GET", "/v1/responses", "", "Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "7")
		require.Equal(t, 400, rep.status)
		require.Contains(t, r.takeLog()[0], "#1 unmatched the handshake is faulty: ")
	})
	inBubble(t, &mp.Server{Script: sayN}, func(t *testing.T, r *rig) {
		_, resp, err := r.dial("/v1/responses", func(o *websocket.DialOptions) { o.HTTPHeader = map[string][]string{"Origin": {"https://evil.example"}} })
		require.Error(t, err)
		require.Equal(t, 403, resp.StatusCode)
		require.Contains(t, r.takeLog()[0], "#1 unmatched the handshake is faulty: ")
	})
}
