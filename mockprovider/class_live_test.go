package mockprovider_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	mp "github.com/heldstream/heldstream/mockprovider"
)

// classes are those of the requests so far, each with why it is one.
func classes(srv *mp.Server) []string {
	entries, _ := srv.Journal().Read(0, 1<<20)
	var all []string
	for _, e := range entries {
		if e.Kind == mp.Arrived || e.Kind == mp.Unmatched {
			all = append(all, fmt.Sprintf("%s: %s", e.Exchange.Class, e.Exchange.Why))
		}
	}
	return all
}

func TestLiveClasses(t *testing.T) {
	srv := &mp.Server{Script: &mp.Script{Replies: []mp.Reply{
		{To: mp.AnyCompaction, Say: []string{"SUMMARY"}},
		{To: mp.Review, Say: []string{`{"findings":[],"overall_correctness":"patch is correct","overall_explanation":"x","overall_confidence_score":1}`}},
		{To: mp.Subagent, Say: []string{"child"}},
		{To: mp.Turn, Say: []string{"hi"}},
	}}}
	a := startCodex(t, srv, client{name: "Mock"})
	thread := a.thread()
	a.turn("turn/start", thread, sayHello)
	a.turn("thread/compact/start", thread, "")
	a.turn("review/start", thread, `,"target":{"type":"custom","instructions":"look"}`)
	require.Equal(t, []string{"turn: no other sign", "compaction.inline: request_kind", "review: sub-agent review"}, classes(srv))
}

func TestLiveSubagentClass(t *testing.T) {
	srv := &mp.Server{Script: &mp.Script{Replies: []mp.Reply{
		{To: mp.Subagent, Say: []string{"child"}},
		{To: mp.Turn, Times: 1, Call: []mp.Call{{Tool: "spawn_agent", Namespace: "multi_agent_v1", Args: json.RawMessage(`{"message":"do it"}`)}}},
		{To: mp.Turn, Holds: []mp.Hold{{Gate: "parent"}}},
	}}}
	a := startCodex(t, srv, client{name: "Mock"})
	thread := a.thread()
	a.call("turn/start", "{"+thread+sayHello+"}")
	_, err := srv.Journal().Wait(t.Context(), 0, func(e mp.Entry) bool { return e.Kind == mp.Ended && e.Exchange.Class == mp.Subagent })
	require.NoError(t, err)
	require.Contains(t, classes(srv), "subagent: sub-agent collab_spawn")
}

// Each kind of compaction, over both transports, with a version that has it.
// The old endpoint is asked over HTTP, whatever the turns go over.
func TestLiveCompactions(t *testing.T) {
	const turn, prewarm = "turn: no other sign", "prewarm: generate is false"
	const inline, v2, v1 = "compaction.inline: request_kind", "compaction.v2: compaction_trigger item", "compaction.v1: path"
	cases := map[string]struct {
		client client
		want   []string
	}{
		"inline":                 {client{name: "Mock"}, []string{turn, inline, turn}},
		"inline, sockets":        {client{name: "Mock", sockets: true}, []string{prewarm, turn, inline, turn}},
		"v2":                     {client{name: "OpenAI"}, []string{turn, v2, turn}},
		"v2, sockets":            {client{name: "OpenAI", sockets: true}, []string{prewarm, turn, v2, turn}},
		"v1 of 0.111.0":          {client{version: "0.111.0", name: "OpenAI"}, []string{turn, v1, turn}},
		"v1 of 0.111.0, sockets": {client{version: "0.111.0", name: "OpenAI", sockets: true, features: "features.responses_websockets_v2 = true"}, []string{prewarm, turn, v1, turn}},
		"v1 of 0.153.3":          {client{version: "0.153.3", name: "OpenAI", features: "features.remote_compaction_v2 = false"}, []string{turn, v1, turn}},
		"v1 of 0.153.3, sockets": {client{version: "0.153.3", name: "OpenAI", sockets: true, features: "features.remote_compaction_v2 = false"}, []string{prewarm, turn, v1, turn}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			srv := &mp.Server{Script: &mp.Script{Replies: []mp.Reply{
				{To: mp.AnyCompaction, Say: []string{"CHECKPOINT"}},
				{To: mp.Turn, Say: []string{"hi"}},
			}}}
			a := startCodex(t, srv, c.client)
			thread := a.thread()
			a.turn("turn/start", thread, sayHello)
			a.turn("thread/compact/start", thread, "")
			a.turn("turn/start", thread, sayHello)
			require.Equal(t, c.want, classes(srv))
			last := lastOf(srv, mp.Turn)
			require.Contains(t, string(last.Body), "CHECKPOINT", "what the compaction left is in the next turn")
			require.Equal(t, c.client.sockets, last.Transport == "websocket")
		})
	}
}

// lastOf is the last request of a class.
func lastOf(srv *mp.Server, class mp.Class) *mp.Exchange {
	entries, _ := srv.Journal().Read(0, 1<<20)
	for _, e := range slices.Backward(entries) {
		if e.Kind == mp.Arrived && e.Exchange.Class == class {
			return e.Exchange
		}
	}
	return nil
}
