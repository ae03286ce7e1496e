package mockprovider_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	mp "github.com/heldstream/heldstream/mockprovider"
)

func TestJournalReadsByCursor(t *testing.T) {
	inBubble(t, &mp.Server{Script: sayN}, func(t *testing.T, r *rig) {
		r.ask(main1, "a")
		synctest.Wait()
		j := r.srv.Journal()
		all, dropped := j.Read(0, 1000)
		require.Zero(t, dropped)
		require.Len(t, all, len(r.seen()))
		require.Equal(t, mp.Arrived, all[0].Kind)
		require.Equal(t, "no other sign", all[0].Exchange.Why, "the journal says why a request has its class")
		page, _ := j.Read(all[2].Cursor, 2)
		require.Equal(t, all[3:5], page)
		none, _ := j.Read(all[len(all)-1].Cursor, 10)
		require.Empty(t, none)
	})
}

func TestJournalIsBounded(t *testing.T) {
	for name, lim := range map[string]mp.Limits{"entries": {Journal: 7}, "bytes": {Bytes: 4000}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, &mp.Server{Script: sayN, Limits: lim}, func(t *testing.T, r *rig) {
				for range 5 {
					r.ask(main1, "a")
				}
				seen := r.seen()
				kept, dropped := r.srv.Journal().Read(0, 1000)
				require.Less(t, len(kept), len(seen)/2)
				require.NotEmpty(t, kept)
				require.EqualValues(t, len(seen)-len(kept), dropped)
				require.EqualValues(t, len(seen), kept[len(kept)-1].Cursor)
				total := 0
				for _, e := range kept {
					total += len(e.Data)
				}
				require.LessOrEqual(t, total, 4000+16<<10)
			})
		})
	}
}

// A request that ends late is in the journal after those that came later: its
// body must not stay uncounted.
func TestJournalCountsABodyAsLongAsItShowsIt(t *testing.T) {
	const most = 20_000
	script := &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Holds: []mp.Hold{{Gate: "g"}}}}}
	inBubble(t, &mp.Server{Script: script, Limits: mp.Limits{Bytes: most}}, func(t *testing.T, r *rig) {
		var all []<-chan reply
		for i := range 10 {
			all = append(all, r.start(t.Context(), codex{fmt.Sprint(i), "1", "turn"}, strings.Repeat("x", most/4)))
		}
		r.srv.Release(mp.Release{Gate: "g"})
		for _, c := range all {
			<-c
		}
		synctest.Wait()
		bodies, events := map[*mp.Exchange]int{}, 0
		kept, _ := r.srv.Journal().Read(0, 1000)
		for _, e := range kept {
			bodies[e.Exchange] = len(e.Exchange.Body)
			events += len(e.Data)
		}
		for _, n := range bodies {
			events += n
		}
		require.NotEmpty(t, kept)
		require.LessOrEqual(t, events, most)
	})
}

func TestJournalWaits(t *testing.T) {
	inBubble(t, &mp.Server{Script: sayN}, func(t *testing.T, r *rig) {
		found := make(chan mp.Entry, 1)
		go func() {
			e, _ := r.srv.Journal().Wait(r.t.Context(), 0, func(e mp.Entry) bool { return strings.HasSuffix(e.What, "completed") })
			found <- e
		}()
		synctest.Wait()
		require.Empty(t, found)
		r.ask(main1, "a")
		require.Equal(t, "response.completed", (<-found).What)
		again, err := r.srv.Journal().Wait(r.t.Context(), 0, func(e mp.Entry) bool { return e.Kind == mp.Ended })
		require.NoError(t, err, "what is there already counts")
		require.Equal(t, 1, again.ID)
		ctx, cancel := context.WithCancel(r.t.Context())
		cancel()
		_, err = r.srv.Journal().Wait(ctx, again.Cursor, func(mp.Entry) bool { return true })
		require.ErrorIs(t, err, context.Canceled)
	})
}

func TestJournalTakesTimesFromTheServersClock(t *testing.T) {
	now := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	srv := &mp.Server{Script: sayN, Now: func() time.Time { return now }}
	inBubble(t, srv, func(t *testing.T, r *rig) {
		r.ask(main1, "a")
		all, _ := srv.Journal().Read(0, 1000)
		require.NotEmpty(t, all)
		for _, e := range all {
			require.Equal(t, now, e.Time)
		}
	})
}
