package agentcore

import (
	"slices"
	"strings"
	"time"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// sending is a text on its way from a caller into the provider's history.
type sending struct {
	req      ReqID
	collect  bool // the reply waits for the turn's end
	prompt   Prompt
	clientID string
	policy   Policy
	options  RunOptions
	clear    bool

	replied bool // as queued
	resend  bool // it was lost once and is sent again
	going   bool // it is in the queue and on its way out
	turn    string
	row     timeline.Row
	at      time.Time
}

// send takes a prompt.
func (m *Machine) send(req ReqID, r SendRequest, collect bool) {
	if err := m.refuse(r); err != nil {
		m.reply(req, nil, err)
		return
	}
	s := &sending{
		req: req, collect: collect, prompt: r.Prompt, clientID: r.ClientID, policy: r.Policy, options: r.Options,
		clear: r.ClearPermissions, at: m.now,
	}
	if s.policy.Behavior == "" {
		if collect && m.occupied() {
			m.reply(req, nil, saying("Agent %s already has an active run", m.id))
			return
		}
		s.policy = m.defaults
	}
	if op := m.command(r.Prompt); op != nil {
		m.outOfBand(s, op)
		return
	}
	m.admit(s)
}

func (m *Machine) refuse(r SendRequest) error {
	if err := r.Prompt.refuse(m.limits.Prompt); err != nil {
		return err
	}
	switch {
	case m.sess.historyOnly:
		return saying("Agent %s is open for reading only: load it without HistoryOnly", m.id)
	case r.ClientID != "" && m.isKnown(r.ClientID):
		return saying("Message '%s' was sent before", r.ClientID)
	}
	return nil
}

// isKnown says whether a message with this id has a row or is on its way.
func (m *Machine) isKnown(clientID string) bool {
	same := func(s *sending) bool { return s != nil && s.clientID == clientID }
	delivers := func(o *op) bool { return same(o.text) }
	_, row := m.known[clientID]
	return row || slices.ContainsFunc(m.waiting, delivers) || slices.ContainsFunc(m.queue, same) ||
		slices.ContainsFunc(m.lane, delivers) || m.run != nil && same(m.run.text)
}

// occupied says whether a new text would meet anything.
func (m *Machine) occupied() bool {
	return m.run != nil || len(m.lane) > 0 || len(m.waiting) > 0 || len(m.queue) > 0
}

// admit lets a text in as its policy says.
func (m *Machine) admit(s *sending) {
	switch s.policy.Behavior {
	case Queue:
		if m.occupied() {
			m.hold(s)
			return
		}
	case Steer:
	default:
		m.supersede()
		if m.run != nil {
			m.announceReplace()
		}
	}
	m.lane = append(m.lane, &op{kind: opDeliver, text: s, replace: s.policy.Behavior == Replace})
}

// supersede takes the text from replaces that have not started their turn: of
// several that overlap the last one wins.
func (m *Machine) supersede() {
	m.lane = slices.DeleteFunc(m.lane, func(o *op) bool {
		if o.kind != opDeliver || !o.replace || o.text == nil {
			return false
		}
		m.fail(o.text, &Error{ErrSuperseded, "Agent " + m.id + " prompt was superseded by a later one"})
		o.text = nil
		return o.phase == opNew
	})
}

// announceReplace shows that what runs makes room for another turn.
func (m *Machine) announceReplace() {
	m.agent.Replacing = true
	m.setLifecycle(Running)
	m.emit()
}

// fail answers a text that was not accepted.
func (m *Machine) fail(s *sending, err error) {
	switch {
	case s.going: // it stays in the queue
		s.going = false
	case slices.Contains(m.queue, s):
		m.loseQueued(s, err)
	default:
		m.reply(s.req, nil, err)
	}
}

// accepted: the provider has taken the text into a turn. Its row is written
// and the sender is answered when that is durable.
func (m *Machine) accepted(s *sending, turn string, how Disposition) {
	s.turn = turn
	if m.unqueue(s) {
		m.queueChanged()
	}
	if s.resend && s.row.Seq > 0 {
		s.row.Turn, s.row.Item.State = turn, ""
		m.change(s.row)
	} else {
		s.row = m.record(turn, Item{Kind: timeline.User, Text: strings.TrimSpace(s.prompt.Text), ClientID: s.clientID})
	}
	m.texts[s.clientID] = s
	result := SendResult{Disposition: how, Turn: turn, ClientID: s.clientID, Seq: s.row.Seq}
	switch {
	case s.collect && m.run != nil && m.run.turn == turn && turn != "":
		m.run.collect = append(m.run.collect, collector{s.req, result})
	case !s.replied:
		s.replied = true
		m.replyDurable(Reply{Req: s.req, Result: result})
	}
}

func sortedKeys[V any](set map[string]V) []string {
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
