package interact

import (
	"slices"

	"github.com/heldstream/heldstream/agentcore"
)

// sent is a send as far as it has come.
type sent struct {
	req        agentcore.ReqID
	request    agentcore.SendRequest
	steered    string // the turn that it was last steered into
	refused    bool   // that was refused, and it has not led to an interrupt yet
	replaces   bool   // when it was sent, something ran
	interrupts bool   // for it something was interrupted
	settled    bool   // it has a row or an answer
	answered   bool
	accepted   bool
	told       bool
}

// steering is a steer that the session has not answered.
type steering struct {
	call     agentcore.CallID
	clientID string
	turn     string
}

func (c *checker) send(req agentcore.ReqID, r agentcore.SendRequest) {
	s := &sent{req: req, request: r, replaces: r.Policy.Behavior == agentcore.Replace && c.lifecycle == agentcore.Running}
	if s.replaces {
		c.replaces++
	}
	c.sends = append(c.sends, s)
}

func (c *checker) byText(clientID string) *sent {
	for _, s := range c.sends {
		if s.request.ClientID == clientID {
			return s
		}
	}
	return nil
}

func (c *checker) byReq(req agentcore.ReqID) *sent {
	for _, s := range c.sends {
		if s.req == req {
			return s
		}
	}
	return nil
}

func (c *checker) isSettled(clientID string) bool {
	s := c.byText(clientID)
	return s != nil && s.settled
}

// interrupt: somebody must have wanted it.
func (c *checker) interrupt(turn string) {
	if len(c.asking) > 0 || c.replaces > 0 || c.orphans[turn] {
		return
	}
	var refused *sent
	for _, s := range c.sends {
		switch {
		case s.answered:
		case s.request.Policy.Behavior == agentcore.Replace:
			return
		case s.request.Policy.Behavior == agentcore.Steer && (!c.steers || !s.request.Policy.WaitForStart):
			s.interrupts = true
			return
		case s.refused:
			refused = s
		}
	}
	switch {
	case refused == nil:
		c.fault("I8", "turn %q is interrupted and nobody wanted that", turn)
	case refused.steered != turn:
		c.fault("I9", "turn %q is interrupted for a text that turn %q refused", turn, refused.steered)
	default:
		refused.refused, refused.interrupts = false, true
	}
}

// steerRow: the first row after the acceptance is that of the text.
func (c *checker) steerRow(s *steering, effects []agentcore.Effect) {
	for _, e := range effects {
		p, ok := e.(agentcore.Publish)
		if !ok {
			continue
		}
		switch u := p.Update.(type) {
		case agentcore.RowChanged:
			if u.Row.Item.ClientID == s.clientID {
				return
			}
		case agentcore.RowAppended:
			if u.Row.Item.ClientID != s.clientID {
				c.fault("I7", "the row of %s comes after what was said meanwhile", s.clientID)
			}
			return
		}
	}
}

func (c *checker) reply(r agentcore.Reply) {
	if c.asking[r.Req] {
		c.stopped()
	}
	delete(c.asking, r.Req)
	s := c.byReq(r.Req)
	if s == nil {
		return
	}
	if s.answered {
		c.fault("reply", "%s is answered twice", s.request.ClientID)
	}
	s.answered, s.accepted = true, r.Err == nil
	c.settle(s)
	id := s.request.ClientID
	if s.accepted && !c.placed[id] && !slices.Contains(c.queued, id) {
		c.fault("lost", "%s is acknowledged and stands nowhere", id)
	}
}

// stopped: somebody has ended what ran; what wanted to replace it starts from
// idle now.
func (c *checker) stopped() {
	c.replaces = 0
	for _, s := range c.sends {
		s.replaces, s.interrupts = false, false
	}
}

// replacesNoMore: the text has come to its turn in another way.
func (c *checker) replacesNoMore(s *sent) {
	if s.replaces && !s.settled {
		c.replaces--
	}
	s.replaces = false
}

// settle: the text has found its turn, or will not.
func (c *checker) settle(s *sent) {
	if s.replaces && !s.settled {
		c.replaces--
	}
	s.settled = true
}

func (c *checker) tell(t agentcore.Tell) {
	if s := c.byReq(t.Req); s != nil {
		if s.told {
			c.fault("fate", "%s has two fates", s.request.ClientID)
		}
		s.told = true
	}
}

// refusal says whether all that comes of a step is that a cancel was refused.
func refusal(effects []agentcore.Effect) bool {
	replies, refusals := 0, 0
	for _, e := range effects {
		switch e := e.(type) {
		case agentcore.CallSession: // the next in the lane goes on
			return false
		case agentcore.Reply:
			replies++
			if _, refused := e.Err.(*agentcore.RefusedError); refused {
				refusals++
			}
		}
	}
	return refusals > 0 && refusals == replies
}

// turnOf is the turn that an event speaks of.
func turnOf(e agentcore.Event) string {
	switch e := e.(type) {
	case agentcore.TurnEnded:
		return e.Turn
	case agentcore.ItemUpdated:
		return e.Turn
	case agentcore.Taken:
		return e.Turn
	}
	return ""
}
