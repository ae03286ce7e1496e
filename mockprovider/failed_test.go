package mockprovider_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	mp "github.com/heldstream/heldstream/mockprovider"
)

// heldEverywhere waits in each kind of answer.
var heldEverywhere = &mp.Script{Replies: []mp.Reply{
	{To: mp.Turn, Match: mp.Match{User: &mp.Text{Contains: "late"}}, Holds: []mp.Hold{{Gate: "g", Before: "response.completed"}}, Say: []string{"x"}},
	{To: mp.AnyCompaction, Holds: []mp.Hold{{Gate: "g"}}},
	{To: mp.Turn, Holds: []mp.Hold{{Gate: "g"}}},
}}

func TestAFailedReleaseHasTheFormOfTheAnswer(t *testing.T) {
	for _, tt := range []struct {
		name, path, body, code string
		status                 int
		at, want               string
	}{
		{"JSON whose headers are out", "/v1/responses", `{"input":"a"}`, "boom", 200, "status", "failed"},
		{"JSON whose headers are out has the code", "/v1/responses", `{"input":"a"}`, "boom", 200, "error.code", "boom"},
		{"a compaction before its headers", "/v1/responses/compact", `{"input":"a"}`, "boom", 400, "error.code", "boom"},
		{"a fault of the server", "/v1/responses/compact", `{"input":"a"}`, "server_error", 500, "error.type", "server_error"},
		{"too many requests", "/v1/responses/compact", `{"input":"a"}`, "rate_limit_exceeded", 429, "error.type", "rate_limit_error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, &mp.Server{Script: heldEverywhere}, func(t *testing.T, r *rig) {
				got := make(chan reply, 1)
				go func() { got <- r.send("POST", tt.path, tt.body) }()
				r.takeLog()
				require.Equal(t, 1, r.srv.Release(mp.Release{Gate: "g", With: "failed:" + tt.code}))
				rep := <-got
				require.Equal(t, tt.status, rep.status)
				require.True(t, gjson.Valid(rep.raw), rep.raw)
				require.Equal(t, tt.want, gjson.Get(rep.raw, tt.at).Str)
			})
		})
	}
}

func TestAFailedReleaseCountsOn(t *testing.T) {
	inBubble(t, &mp.Server{Script: heldEverywhere}, func(t *testing.T, r *rig) {
		got := r.start(t.Context(), main1, "late")
		r.srv.Release(mp.Release{Gate: "g", With: "failed:boom"})
		before := int64(-1)
		for _, e := range (<-got).events {
			n := gjson.Get(string(e.Data), "sequence_number").Int()
			require.Equal(t, before+1, n, "of %s", e.Type)
			before = n
		}
		require.Positive(t, before)
	})
}

func TestSocketErrorsNameTheirLane(t *testing.T) {
	inBubble(t, &mp.Server{Script: heldEverywhere}, func(t *testing.T, r *rig) {
		s := r.connect()
		defer s.c.CloseNow()
		s.send(`"stream_id":"a","previous_response_id":"resp_77",`, "x")
		e := s.next()
		require.Equal(t, "error a", e.Get("type").Str+" "+e.Get("stream_id").Str)
		s.send(`"stream_id":"a",`, "x")
		r.takeLog()
		r.srv.Release(mp.Release{Gate: "g", With: "failed:boom"})
		e = s.next()
		require.Equal(t, "response.failed a", e.Get("type").Str+" "+e.Get("stream_id").Str)
	})
}
