package mockprovider_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	mp "github.com/heldstream/heldstream/mockprovider"
)

func TestZeroValueRefusesAll(t *testing.T) {
	inBubble(t, &mp.Server{}, func(t *testing.T, r *rig) {
		got := r.ask(codex{}, "hello")
		require.Equal(t, 400, got.status, "a status that Codex does not retry")
		require.Contains(t, got.raw, "unscripted_request")
		require.Equal(t, []string{
			"#1 unmatched no reply for turn 1 of agent main (POST /v1/responses): the script has no replies",
			"#1 > headers", "#1 > body", "#1 > end", "#1 ended",
		}, r.takeLog())
	})
}

func TestOfficialSequence(t *testing.T) {
	inBubble(t, &mp.Server{Script: &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Say: []string{"reply ${n}", " done"}}}}}, func(t *testing.T, r *rig) {
		got := r.ask(main1, "hello")
		require.NoError(t, got.err)
		require.Equal(t, []string{
			"created", "in_progress", "output_item.added", "content_part.added", "output_text.delta", "output_text.delta",
			"output_text.done", "content_part.done", "output_item.done", "completed",
		}, got.types())
		require.Contains(t, got.raw, `"text":"reply 1 done"`)
		require.Contains(t, got.raw, `"id":"msg_1"`)
		require.Contains(t, got.raw, `"total_tokens":100`)
		log := r.takeLog()
		require.Equal(t, "#1 arrived turn 1.1 reply 0", log[0])
		require.Equal(t, []string{"#1 > completed", "#1 > end", "#1 ended"}, log[len(log)-3:])
	})
}

func TestHoldReleaseGone(t *testing.T) {
	srv := &mp.Server{Script: &mp.Script{Replies: []mp.Reply{
		{To: mp.AnyCompaction, Holds: []mp.Hold{{Gate: "summary"}}, Say: []string{"S"}},
		{To: mp.Turn, Holds: []mp.Hold{{Gate: "g"}}, Say: []string{"hi"}},
	}}}
	inBubble(t, srv, func(t *testing.T, r *rig) {
		turn := r.start(r.t.Context(), main1, "a")
		require.Equal(t, []string{"#1 arrived turn 1.1 reply 1", "#1 > headers", "#1 held g response.created"}, r.takeLog(), "a turn waits after its headers")
		require.Len(t, srv.Held("g"), 1)
		require.Equal(t, 1, srv.Release(mp.Release{Gate: "g"}))
		require.NoError(t, (<-turn).err)
		require.Equal(t, "#1 released g", r.takeLog()[0])

		ctx, leave := context.WithCancel(r.t.Context())
		compaction := r.start(ctx, codex{"T", "2", "compaction"}, "a", "b")
		require.Equal(t, []string{"#2 arrived compaction.inline 1.1 reply 0", "#2 held summary headers"}, r.takeLog(), "a compaction before them")
		leave()
		require.ErrorIs(t, (<-compaction).err, context.Canceled)
		require.Equal(t, []string{"#2 gone"}, r.takeLog())
		require.Empty(t, srv.Held("summary"))
		require.Zero(t, srv.Release(mp.Release{Gate: "summary"}))
	})
}

func TestLeavingAfterTheEndIsNoLoss(t *testing.T) {
	srv := &mp.Server{Script: &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Frame: mp.Frame{Done: true}}}}}
	inBubble(t, srv, func(t *testing.T, r *rig) {
		req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, "http://mock/v1/responses", strings.NewReader(body("a")))
		require.NoError(t, err)
		resp, err := r.client.Do(req)
		require.NoError(t, err)
		for seen, buf := "", make([]byte, 4096); !strings.Contains(seen, "response.completed"); {
			n, err := resp.Body.Read(buf)
			require.NoError(t, err)
			seen += string(buf[:n])
		}
		require.NoError(t, resp.Body.Close())
		log := r.takeLog()
		require.Equal(t, []string{"#1 > completed", "#1 > end", "#1 ended"}, log[len(log)-3:], "Codex hangs up at response.completed")
	})
}
