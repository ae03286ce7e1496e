package mockprovider_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	mp "github.com/heldstream/heldstream/mockprovider"
)

func TestReleases(t *testing.T) {
	script := &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Say: []string{"x"}, Holds: []mp.Hold{{Gate: "g", After: "response.output_text.delta"}, {Gate: "late", Before: "end"}}}}}
	start := func(r *rig, n int) []<-chan reply {
		var all []<-chan reply
		for i := range n {
			all = append(all, r.start(r.t.Context(), codex{fmt.Sprint(i), "1", "turn"}, "a"))
		}
		return all
	}
	t.Run("one of three", func(t *testing.T) {
		inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
			all := start(r, 3)
			require.Equal(t, 1, r.srv.Release(mp.Release{Gate: "g", Nth: 2}))
			synctest.Wait()
			require.Equal(t, map[string]int{"g": 2, "late": 1}, r.srv.Gates())
			require.Equal(t, "1", r.srv.Held("late")[0].Thread)
			require.Zero(t, r.srv.Release(mp.Release{Gate: "g", Agent: "other"}))
			require.Equal(t, 2, r.srv.Release(mp.Release{Gate: "g"}))
			synctest.Wait()
			require.Equal(t, 3, r.srv.Release(mp.Release{Gate: "late"}))
			for _, c := range all {
				require.NoError(t, (<-c).err)
			}
		})
	})
	t.Run("open for all that comes", func(t *testing.T) {
		inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
			require.Zero(t, r.srv.Release(mp.Release{Gate: "g", Open: true}))
			require.Zero(t, r.srv.Release(mp.Release{Gate: "late", Open: true}))
			require.NoError(t, r.ask(main1, "a").err)
		})
	})
	t.Run("failed", func(t *testing.T) {
		inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
			all := start(r, 1)
			r.srv.Release(mp.Release{Gate: "g", With: "failed:server_error"})
			got := <-all[0]
			types := got.types()
			require.Equal(t, []string{"output_text.delta", "failed"}, types[len(types)-2:])
			require.Equal(t, "server_error", gjson.GetBytes(got.events[len(types)-1].Data, "response.error.code").Str)
			r.start(r.t.Context(), codex{"0", "1", "turn"}, "a")
			require.Equal(t, []string{"1.1", "1.2"}, numbers(r.seen()), "what was released as failed is tried again")
		})
	})
	t.Run("cut", func(t *testing.T) {
		inBubble(t, &mp.Server{Script: script}, func(t *testing.T, r *rig) {
			all := start(r, 1)
			r.srv.Release(mp.Release{Gate: "g", With: "cut"})
			require.Error(t, (<-all[0]).err)
		})
	})
}
