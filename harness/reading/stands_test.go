package reading

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/eventlog"
)

func TestWhatARunStandsAt(t *testing.T) {
	r := New()
	happen := func(agent string, bodies ...eventlog.Body) {
		for _, b := range bodies {
			r.Apply(eventlog.Event{Agent: agent, Body: b})
		}
	}
	happen("main",
		eventlog.Started{},
		eventlog.ToCodex{Line: []byte(`{"id":1,"method":"turn/start","params":{"threadId":"t"}}`)},
		eventlog.Request{ID: 1, Class: "turn"},
		eventlog.Request{ID: 2, Class: "compaction.inline"}, eventlog.Held{ID: 2, Gate: "summary"},
		eventlog.Request{ID: 3, Class: "turn"}, eventlog.Held{ID: 3, Gate: "left"}, eventlog.Gone{ID: 3},
		eventlog.FromCodex{Line: []byte(`{"id":7,"method":"item/commandExecution/requestApproval","params":{"itemId":"i"}}`)},
	)
	happen("", eventlog.ToolHeld{Gate: "tool"})
	require.Equal(t, []string{
		`gate "summary" holds request 2 (compaction.inline of agent main)`,
		`gate "tool" holds 1 of the wire's messages or tools' commands`,
	}, r.Held())
	require.Equal(t, []string{
		"agent main: request 1 (turn), whose answer is being sent",
		"agent main: codex's question item/commandExecution/requestApproval, which nobody has answered",
		"agent main: turn/start, which codex has not answered",
	}, r.InFlight())

	happen("main", eventlog.Exited{}, eventlog.Ended{ID: 1}, eventlog.Ended{ID: 2})
	happen("", eventlog.ToolReleased{Gate: "tool"})
	require.Empty(t, r.Held())
	require.Empty(t, r.InFlight())
}

// The provider tells how it answers a request that it refuses, too.
func TestARefusedRequestOwesNothing(t *testing.T) {
	r := New()
	for _, b := range []eventlog.Body{
		eventlog.Started{}, eventlog.Refused{ID: 1, Text: "no reply"}, eventlog.Sent{ID: 1, What: "headers"}, eventlog.Ended{ID: 1},
	} {
		r.Apply(eventlog.Event{Agent: "main", Body: b})
	}
	require.Empty(t, r.Requests)
	require.Len(t, r.Refused, 1)
	require.Empty(t, r.Unsettled())
}
