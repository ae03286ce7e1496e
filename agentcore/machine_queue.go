package agentcore

import (
	"slices"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

func (s *sending) held() timeline.Held {
	h := timeline.Held{
		ClientID: s.clientID, Text: s.prompt.Text, Images: s.prompt.Images, Attached: s.prompt.Attached, At: s.at, Resend: s.resend,
	}
	if s.options.OutputSchema != nil {
		h.Options = s.options.OutputSchema
	}
	return h
}

// heldAgain is a held prompt that was read from the store.
func (m *Machine) heldAgain(h timeline.Held, stored []timeline.Row) *sending {
	s := &sending{
		prompt: Prompt{h.Text, h.Images, h.Attached}, clientID: h.ClientID, policy: Policy{Behavior: Queue}, replied: true,
		options: RunOptions{OutputSchema: h.Options}, resend: h.Resend, at: h.At,
	}
	if seq := m.known[h.ClientID]; h.Resend && seq > 0 {
		s.row = stored[seq-1]
	}
	return s
}

// hold puts a text at the end of the queue.
func (m *Machine) hold(s *sending) {
	if slices.Contains(m.queue, s) {
		s.going = false
		return
	}
	m.queue = append(m.queue, s)
	held := s.held()
	m.agent.Queued = append(m.agent.Queued, held)
	result := Reply{Req: s.req, Result: SendResult{Disposition: Queued, ClientID: s.clientID}}
	if s.collect {
		result.Req = 0
	} else {
		s.replied = true
	}
	m.append(timeline.Entry{Held: &held}, result)
	m.queueChanged()
}

func (m *Machine) queueChanged() {
	m.publish(QueueChanged{m.id, m.agent.Queued})
}

// unqueue removes a text from the queue; stored says that the log knows.
func (m *Machine) unqueue(s *sending) bool {
	i := slices.Index(m.queue, s)
	if i < 0 {
		return false
	}
	s.going = false
	if i == 0 {
		m.queue, m.agent.Queued = m.queue[1:], m.agent.Queued[1:]
	} else {
		m.queue = slices.Delete(slices.Clone(m.queue), i, i+1)
		m.agent.Queued = slices.Delete(slices.Clone(m.agent.Queued), i, i+1)
	}
	return true
}

func (m *Machine) withdraw(req ReqID, clientID string) {
	i := slices.IndexFunc(m.queue, func(s *sending) bool { return s.clientID == clientID && !s.going })
	if i < 0 {
		m.reply(req, nil, saying("Message '%s' is not queued: it was sent, withdrawn or never there", clientID))
		return
	}
	s := m.queue[i]
	m.unqueue(s)
	m.append(timeline.Entry{Dropped: clientID}, Reply{Req: req})
	m.queueChanged()
	m.tell(s, FateWithdrawn)
	if s.collect {
		m.reply(s.req, nil, saying("Message '%s' was withdrawn", clientID))
	}
}

// loseQueued gives up a text that its sender believes to be queued: it gets a
// row that says so.
func (m *Machine) loseQueued(s *sending, err error) {
	m.unqueue(s)
	m.queueChanged()
	item := Item{Kind: timeline.User, Text: s.prompt.Text, ClientID: s.clientID, State: "undelivered"}
	if s.row.Seq == 0 {
		m.record("", item)
	} else {
		m.append(timeline.Entry{Dropped: s.clientID}, Reply{})
	}
	m.publish(Undelivered{Agent: m.id, ClientID: s.clientID, Text: s.prompt.Text})
	m.tell(s, FateUndelivered)
	if s.collect {
		m.reply(s.req, nil, err)
	}
}

// holdFirst puts a lost text before all that are queued, behind others that
// were lost.
func (m *Machine) holdFirst(s *sending) {
	i := 0
	for i < len(m.queue) && m.queue[i].resend {
		i++
	}
	m.queue = slices.Insert(slices.Clone(m.queue), i, s)
	held := s.held()
	m.agent.Queued = slices.Insert(slices.Clone(m.agent.Queued), i, held)
	m.append(timeline.Entry{HeldFirst: &held}, Reply{})
	m.queueChanged()
}

// showQueue puts the queue into the snapshot.
func (m *Machine) showQueue() {
	held := make([]timeline.Held, 0, len(m.queue))
	for _, s := range m.queue {
		held = append(held, s.held())
	}
	m.agent.Queued = slices.Clip(held)
}
