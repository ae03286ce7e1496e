package mockprovider

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/mockprovider/responses"
)

func TestPreparedRepliesSayTheSame(t *testing.T) {
	everything := Reply{
		Say: []string{"a ", "b"}, Think: &Think{Summary: []string{"s"}, Text: []string{"t"}, Encrypted: "e"},
		Call:       []Call{{Tool: "f", Args: json.RawMessage(`{"a":1}`)}, {Tool: "f"}, {Tool: "g", Input: "x", ID: "mine"}},
		Compaction: []string{"c", "d"}, Headers: map[string]string{"X-A": "a"},
	}
	fixed, failed := everything, everything
	fixed.ID, failed.End = "resp_mine", "failed:server_error"
	cases := map[string]struct {
		reply Reply
		ready bool
	}{
		"all that a reply can have":    {everything, true},
		"an id of its own":             {fixed, true},
		"a failure":                    {failed, true},
		"events as they are":           {Reply{Events: []json.RawMessage{[]byte(`{"type":"x","id":"msg_1"}`)}}, true},
		"a number in its text":         {Reply{Say: []string{"reply ${n}"}}, false},
		"a name that nobody knows":     {Reply{Say: []string{"${x}"}}, false},
		"the mark itself":              {Reply{Say: []string{"a " + idMark}}, false},
		"a status":                     {Reply{Status: 500}, false},
		"so much that copying is work": {Reply{Say: []string{strings.Repeat("x", maxPreparedBytes)}}, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var p prepared
			for n := 1; n <= 12; n++ {
				for _, inBand := range []bool{false, true} {
					want, got := c.reply.answer(third(&c.reply, n, inBand)), p.answer(&c.reply, third(&c.reply, n, inBand))
					require.Equal(t, lines(want), lines(got), "request %d", n)
					want.events, got.events = nil, nil
					require.Equal(t, want, got)
				}
			}
			for _, ready := range p.all {
				require.Equal(t, c.ready, ready.events != nil, "it is made ready")
			}
		})
	}
}

// third is the n-th request of a third thread.
func third(r *Reply, n int, inBand bool) asked {
	names := newIDs(3, Turn, n, 1)
	return asked{
		class: Turn, ids: &names, respID: or(r.ID, names.response()), model: "m",
		usage: &responses.Usage{TotalTokens: 7}, stream: true, inBand: inBand,
		expand: func(name string) (string, bool) { return strconv.Itoa(n), name == "n" },
	}
}

func lines(a answer) string {
	var b strings.Builder
	for _, e := range a.events {
		fmt.Fprintf(&b, "%s %s\n", e.Type, e.Data)
	}
	return b.String()
}

// Clients choose models and a meter counts on: what is kept must have an end.
func TestPreparedIsBounded(t *testing.T) {
	var p prepared
	r := Reply{Say: []string{"a"}}
	for n := range 3 * maxPrepared {
		a := third(&r, n, false)
		a.model = strconv.Itoa(n)
		p.answer(&r, a)
	}
	require.Len(t, p.all, maxPrepared)
}
