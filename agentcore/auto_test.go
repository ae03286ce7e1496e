package agentcore_test

import (
	"fmt"
	"sync"

	"github.com/heldstream/heldstream/agentcore"
)

// alone is a text whose turn takes no other.
const alone = "alone"

// autoProvider opens sessions that do at once what they are asked: a turn takes
// a few texts and ends.
type autoProvider struct{ texts int }

func (p autoProvider) Open(r agentcore.OpenRequest, sink agentcore.Sink) agentcore.Session {
	s := &autoSession{sink: sink, texts: p.texts}
	sink(agentcore.Opened{
		Handle:       agentcore.Handle{Provider: "auto", SessionID: "thread-" + r.AgentID},
		Capabilities: agentcore.Capabilities{Steer: true},
	})
	return s
}

type autoSession struct {
	sink  agentcore.Sink
	texts int
	mu    sync.Mutex
	turns int
	taken int
	open  string
}

func (s *autoSession) Do(c agentcore.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch op := c.Op.(type) {
	case agentcore.StartTurn:
		s.turns++
		s.open, s.taken = fmt.Sprintf("t%d", s.turns), 0
		s.sink(agentcore.Answer{Call: c.ID, Value: s.open})
		s.take(op.ClientID)
		if op.Prompt.Text == alone {
			s.end(agentcore.TurnCompleted)
		}
	case agentcore.SteerTurn:
		if op.Turn != s.open {
			s.sink(agentcore.Answer{Call: c.ID, Err: &agentcore.Unavailable{Reason: "no_turn", Message: "no active turn to steer"}})
			return
		}
		s.sink(agentcore.Answer{Call: c.ID})
		s.take(op.ClientID)
	case agentcore.InterruptTurn:
		s.sink(agentcore.Answer{Call: c.ID})
		s.end(agentcore.TurnInterrupted)
	default:
		s.sink(agentcore.Answer{Call: c.ID})
	}
}

func (s *autoSession) take(clientID string) {
	s.taken++
	s.sink(agentcore.Taken{Turn: s.open, ClientID: clientID, ItemID: "item-" + clientID})
	if s.taken == s.texts {
		s.end(agentcore.TurnCompleted)
	}
}

func (s *autoSession) end(how agentcore.TurnStatus) {
	if s.open != "" {
		s.sink(agentcore.TurnEnded{Turn: s.open, Status: how})
		s.open = ""
	}
}
