package mockprovider_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	mp "github.com/heldstream/heldstream/mockprovider"
)

// numbers are the arrivals in a log: class, number and attempt.
func numbers(events []mp.Event) []string {
	var out []string
	for _, e := range events {
		if e.Kind == mp.Arrived || e.Kind == mp.Unmatched {
			out = append(out, fmt.Sprintf("%d.%d", e.Exchange.N, e.Exchange.Try))
		}
	}
	return out
}

func TestAttempts(t *testing.T) {
	turn2 := codex{"T", "2", "turn"}
	failing := map[string]mp.Reply{
		"status":     {Status: 500},
		"failed":     {End: "failed:server_error"},
		"incomplete": {End: "incomplete:content_filter"},
		"no end":     {End: "none"},
		"cut":        {Say: []string{"x"}, Cut: &mp.Cut{After: "response.created"}},
		"bytes":      {Say: []string{"x"}, Cut: &mp.Cut{Bytes: 10}},
	}
	for name, first := range failing {
		t.Run(name, func(t *testing.T) {
			first.To = mp.Turn
			script := &mp.Script{Replies: []mp.Reply{
				{To: mp.Turn, Times: 1, Attempts: []mp.Reply{first, {Say: []string{"then ${n}"}}}},
				{To: mp.Turn, Say: []string{"next ${n}"}},
			}}
			inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
				r.ask(main1, "a")
				second := r.ask(main1, "a", "steered while it failed")
				require.Contains(t, second.raw, "then 1", "what failed is tried again, whatever the body")
				require.Contains(t, second.raw, `"resp_1r2"`, "another try has other ids: the client may have kept items of the first")
				require.Contains(t, r.ask(turn2, "a", "b").raw, "next 2")
				require.Equal(t, []string{"1.1", "1.2", "2.1"}, numbers(r.seen()))
			})
		})
	}
}

func TestAttemptsEnd(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Attempts: []mp.Reply{{Status: 500}}}}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		require.Equal(t, 500, r.ask(main1, "a").status)
		got := r.ask(main1, "a")
		require.Equal(t, 400, got.status)
		require.Contains(t, got.raw, "attempt 2 of turn 1 of agent main: reply[0] lists 1")
	})
	script.Replies[0].Again = true
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		for range 3 {
			require.Equal(t, 500, r.ask(main1, "a").status)
		}
		require.Equal(t, []string{"1.1", "1.2", "1.3"}, numbers(r.seen()))
	})
}

func TestWhatTheClientLeft(t *testing.T) {
	for _, tt := range []struct {
		name   string
		as     codex
		users  []string
		want   string
		reason string
	}{
		{"same turn, same texts", main1, []string{"a"}, "1.2", "asked again for what it left"},
		{"same turn, new text", main1, []string{"a", "b"}, "2.1", "a steer is a new question"},
		{"same turn, equal new text", main1, []string{"a", "a"}, "2.1", "equal texts are counted, not found"},
		{"same turn, shorter history", main1, nil, "1.2", "a retry may have dropped old items"},
		{"other turn", codex{"T", "2", "turn"}, []string{"a"}, "2.1", "a turn does not retry another"},
		{"other thread", codex{"U", "1", "turn"}, []string{"a"}, "1.1", "counted by thread"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			script := &mp.Script{Replies: []mp.Reply{
				{To: mp.Turn, Times: 1, Holds: []mp.Hold{{Gate: "g"}}},
				{To: mp.Turn},
			}}
			inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
				ctx, leave := context.WithCancel(r.t.Context())
				first := r.start(ctx, main1, "a")
				leave()
				<-first
				r.takeLog()
				second := r.start(r.t.Context(), tt.as, tt.users...)
				r.srv.Release(mp.Release{Gate: "g"})
				<-second
				require.Equal(t, tt.want, numbers(r.seen())[1], tt.reason)
			})
		})
	}
}

func TestLeftButNotYetSeen(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Holds: []mp.Hold{{Gate: "g"}}}}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		first := r.start(r.t.Context(), main1, "a")
		second := r.start(r.t.Context(), main1, "a")
		plain := r.start(r.t.Context(), codex{}, "a")
		other := r.start(r.t.Context(), codex{}, "a")
		r.srv.Release(mp.Release{Gate: "g"})
		for _, c := range []<-chan reply{first, second, plain, other} {
			require.NoError(t, (<-c).err)
		}
		require.Equal(t, []string{"1.1", "1.2", "1.1", "2.1"}, numbers(r.seen()), "a turn asks one thing at a time; clients without turns may not")
	})
}

// Codex goes on at response.completed, and may ask again before the server is
// done with the exchange: here it never is before that.
func TestAnsweredButNotYetEnded(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{{
		To: mp.Turn, Say: []string{"reply ${n}"},
		Frame: mp.Frame{Comments: &mp.Comments{Times: 1, Every: 1, Before: "end"}},
	}}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		asked := make(chan struct{})
		r.srv.Sleep = func(context.Context, time.Duration) error { <-asked; return nil }
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://mock/v1/responses", strings.NewReader(body("a")))
		require.NoError(t, err)
		main1.set(req.Header)
		resp, err := r.client.Do(req)
		require.NoError(t, err)
		readUntil(t, resp.Body, "response.completed")
		require.NoError(t, resp.Body.Close())
		next := r.start(t.Context(), main1, "a")
		require.Equal(t, []string{"1.1", "2.1"}, numbers(r.seen()), "the same turn asks for more, and not again")
		close(asked)
		require.Contains(t, (<-next).raw, "reply 2")
	})
}

func readUntil(t *testing.T, from io.Reader, text string) {
	var got strings.Builder
	for buf := make([]byte, 1024); !strings.Contains(got.String(), text); {
		n, err := from.Read(buf)
		require.NoError(t, err)
		got.Write(buf[:n])
	}
}

func TestPlainClientsRetryUntilTheyGoOn(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{
		{To: mp.Turn, Times: 1, Attempts: []mp.Reply{{Status: 500}, {Status: 500}}},
		{To: mp.Turn, Say: []string{"ok"}},
	}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		r.ask(codex{}, "a")
		r.ask(codex{}, "a")
		require.Equal(t, 200, r.ask(codex{}, "a", "b").status)
		require.Equal(t, []string{"1.1", "1.2", "2.1"}, numbers(r.seen()))
	})
}

func TestAgentsDoNotDisturbEachOther(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Attempts: []mp.Reply{{Status: 500}, {Say: []string{"${n}"}}}}}}
	srv := &mp.Server{Script: script}
	inBubble(t, srv, func(t *testing.T, r *rig) {
		r.ask(main1, "a")
		r.agent = "other"
		r.ask(main1, "a")
		require.Equal(t, 200, r.ask(main1, "a").status)
		r.agent = ""
		require.Equal(t, 200, r.ask(main1, "a").status)
		require.Equal(t, []string{"1.1", "1.1", "1.2", "1.2"}, numbers(r.seen()))
	})
}

func TestIdsOfThreadsAndClassesDiffer(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{{To: mp.AnyClass, Say: []string{"x"}, Call: []mp.Call{{Tool: "a"}, {Tool: "b"}}}}}
	inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
		first := r.ask(main1, "a").raw
		for _, id := range []string{"resp_1", "msg_1", "fc_1", "call_1", "fc_1_2", "call_1_2"} {
			require.Contains(t, first, `"`+id+`"`)
		}
		require.Contains(t, r.ask(codex{"U", "1", "turn"}, "a").raw, `"msg_t2n1"`)
		require.Contains(t, r.ask(codex{"T", "1", "compaction"}, "a").raw, `"msg_c1"`)
		require.Contains(t, r.ask(codex{"T", "2", "turn"}, "a").raw, `"msg_2"`)
	})
}
