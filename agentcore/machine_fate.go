package agentcore

import (
	"slices"
)

func (m *Machine) tell(s *sending, f Fate) {
	if s.req != 0 {
		m.do(Tell{s.req, f})
	}
}

// taken: the text stands in the provider's history.
func (m *Machine) taken(clientID, itemID string) {
	s := m.texts[clientID]
	if s == nil {
		return
	}
	delete(m.texts, clientID)
	if itemID != "" {
		s.row.ProviderID = itemID
		m.change(s.row)
	}
	m.tell(s, FateDelivered)
}

// lost: the provider dropped a text that it had accepted.
func (m *Machine) lost(clientID string) {
	s := m.texts[clientID]
	if s == nil {
		return
	}
	delete(m.texts, clientID)
	s.row.Item.State = "undelivered"
	m.change(s.row)
	again := s.policy.OnLost == Resend && (!s.resend || m.agent.Replacing)
	m.publish(Undelivered{Agent: m.id, ClientID: clientID, Text: s.prompt.Text, Turn: s.turn, Resend: again})
	if !again {
		m.tell(s, FateUndelivered)
		return
	}
	s.resend, s.replied, s.collect = true, true, false
	m.holdFirst(s)
}

// untaken are the client ids of a turn's texts that the provider has not
// confirmed, in the order of their rows.
func (m *Machine) untaken(turn string) []string {
	var all []*sending
	for _, s := range m.texts {
		if s.turn == turn {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *sending) int { return int(a.row.Seq - b.row.Seq) })
	var ids []string
	for _, s := range all {
		ids = append(ids, s.clientID)
	}
	return ids
}

// forgetTurn ends the pursuit of a turn's texts: the provider will not say any
// more.
func (m *Machine) forgetTurn(turn string) {
	for _, id := range m.untaken(turn) {
		m.tell(m.texts[id], FateUnknown)
		delete(m.texts, id)
	}
}

// forgetTexts does so for all turns, and for the queue.
func (m *Machine) forgetTexts() {
	turns := map[string]bool{}
	for _, s := range m.texts {
		turns[s.turn] = true
	}
	for _, t := range sortedKeys(turns) {
		m.forgetTurn(t)
	}
	for _, s := range m.queue {
		m.tell(s, FateUnknown)
		if s.collect {
			m.reply(s.req, nil, errNoSession(m.id))
		}
	}
}
