package interact

import (
	"slices"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

func (c *checker) effect(e agentcore.Effect) {
	if _, end := e.(agentcore.Ended); end {
		c.allAnswered()
	}
	if c.ended {
		switch e := e.(type) {
		case agentcore.Reply:
			c.reply(e)
		case agentcore.Archived, agentcore.Again, agentcore.Ended:
		default:
			c.fault("I11", "%T after the agent was closed", e)
		}
		return
	}
	switch e := e.(type) {
	case agentcore.CallSession:
		c.call(e.Call)
	case agentcore.Append:
		c.entries(e.Entries)
	case agentcore.Publish:
		c.update(e.Update)
	case agentcore.Reply:
		c.reply(e)
	case agentcore.Tell:
		c.tell(e)
	}
}

// allAnswered: whoever has sent something knows what came of it when the
// machine ends.
func (c *checker) allAnswered() {
	for _, s := range c.sends {
		if !s.answered {
			c.fault("reply", "%s is never answered", s.request.ClientID)
			s.answered = true
		}
	}
}

func (c *checker) call(call agentcore.Call) {
	switch op := call.Op.(type) {
	case agentcore.StartTurn:
		if c.open != "" {
			c.fault("I1", "a turn is started while %s is open", c.open)
		}
		if i := slices.Index(c.queued, op.ClientID); i > 0 {
			c.fault("queue", "%s goes out before %s", op.ClientID, c.queued[0])
		}
		c.starts[call.ID] = op.ClientID
	case agentcore.SteerTurn:
		c.steer = &steering{call.ID, op.ClientID, op.Turn}
		if s := c.byText(op.ClientID); s != nil {
			s.steered = op.Turn
			c.replacesNoMore(s) // it goes in behind a text that was lost before
		}
	case agentcore.InterruptTurn:
		c.interrupt(op.Turn)
	}
}

func (c *checker) entries(entries []timeline.Entry) {
	for _, e := range entries {
		switch {
		case e.Held != nil:
			c.queued = append(c.queued, e.Held.ClientID)
			if s := c.byText(e.Held.ClientID); s != nil {
				c.settle(s)
			}
		case e.HeldFirst != nil:
			c.twice[e.HeldFirst.ClientID] = true
			i := 0
			for i < len(c.queued) && c.twice[c.queued[i]] {
				i++
			}
			c.queued = slices.Insert(c.queued, i, e.HeldFirst.ClientID)
		case e.Dropped != "":
			c.unqueue(e.Dropped)
			c.placed[e.Dropped] = true
		case e.Row != nil:
			c.unqueue(e.Row.Item.ClientID)
		case e.Change != nil && e.Change.Item.State == "":
			c.unqueue(e.Change.Item.ClientID)
		case e.Epoch != "":
			c.epoch, c.lastSeq = e.Epoch, 0
			clear(c.byClient)
		}
	}
}

func (c *checker) unqueue(clientID string) {
	c.queued = slices.DeleteFunc(c.queued, func(id string) bool { return id == clientID })
}

func (c *checker) update(u agentcore.Update) {
	switch u := u.(type) {
	case agentcore.StateChanged:
		c.state(u.Agent)
	case agentcore.RowAppended:
		c.row(u)
	case agentcore.Streamed:
		switch e := u.Event.(type) {
		case agentcore.TurnStarted:
			c.turnStarted(e)
		case agentcore.TurnEnded:
			c.turnEnded(e)
		}
	}
}

func (c *checker) state(a agentcore.Agent) {
	if !a.UpdatedAt.After(c.updated) {
		c.fault("I2", "the time of update does not grow")
	}
	c.updated = a.UpdatedAt
	between := slices.ContainsFunc(c.sends, func(s *sent) bool { return s.interrupts && !s.settled })
	if a.Lifecycle == agentcore.Idle && (c.replaces > 0 || between) && len(c.asking) == 0 {
		c.fault("I5", "idle is told in the middle of a replace")
	}
	c.lifecycle, c.turn = a.Lifecycle, a.Turn
	if a.Lifecycle == agentcore.Closed {
		c.ended = true
	}
}

func (c *checker) row(u agentcore.RowAppended) {
	r := u.Row
	if r.Seq != c.lastSeq+1 || u.Epoch != c.epoch {
		c.fault("I2", "row %d of epoch %s follows row %d of %s", r.Seq, u.Epoch, c.lastSeq, c.epoch)
	}
	c.lastSeq = r.Seq
	if id := r.Item.ClientID; id != "" {
		if c.byClient[id] {
			c.fault("I6", "%s has two rows", id)
		}
		c.byClient[id], c.placed[id] = true, true
		if s := c.byText(id); s != nil {
			c.settle(s)
		}
	}
	if c.steer != nil && c.said {
		c.fault("I7", "row %d is written while %s is being steered", r.Seq, c.steer.clientID)
	}
}

func (c *checker) turnStarted(e agentcore.TurnStarted) {
	if e.Turn != "" && (c.begun[e.Turn] || c.finished[e.Turn]) {
		c.fault("I3", "turn %s begins twice", e.Turn)
	}
	c.begun[e.Turn] = true
	c.open = e.Turn
}

func (c *checker) turnEnded(e agentcore.TurnEnded) {
	if e.Turn == "" {
		return
	}
	if c.finished[e.Turn] {
		c.fault("I3", "turn %s ends twice", e.Turn)
	}
	c.finished[e.Turn] = true
	if c.turn == e.Turn {
		c.early = e.Turn // only the state that says closed may come later
	}
	if c.open == e.Turn {
		c.open = ""
	}
}
