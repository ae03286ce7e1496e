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

func (s *sending) held() timeline.Held {
	h := timeline.Held{ClientID: s.clientID, Text: s.prompt.Text, Images: s.prompt.Images, At: s.at, Resend: s.resend}
	if s.options.OutputSchema != nil {
		h.Options = s.options.OutputSchema
	}
	return h
}

// heldAgain is a held prompt that was read from the store.
func (m *Machine) heldAgain(h timeline.Held, stored []timeline.Row) *sending {
	s := &sending{
		prompt: Prompt{h.Text, h.Images}, clientID: h.ClientID, policy: Policy{Behavior: Queue}, replied: true,
		options: RunOptions{OutputSchema: h.Options}, resend: h.Resend, at: h.At,
	}
	if seq := m.known[h.ClientID]; h.Resend && seq > 0 {
		s.row = stored[seq-1]
	}
	return s
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
	if m.isCompactCommand(r.Prompt) {
		m.outOfBand(s)
		return
	}
	m.admit(s)
}

func (m *Machine) refuse(r SendRequest) error {
	switch {
	case len(r.Prompt.Text) > m.limits.Prompt:
		return saying("Prompt has %d bytes, the limit is %d: send less", len(r.Prompt.Text), m.limits.Prompt)
	case strings.TrimSpace(r.Prompt.Text) == "" && len(r.Prompt.Images) == 0:
		return saying("Prompt is empty")
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

func (m *Machine) tell(s *sending, f Fate) {
	if s.req != 0 {
		m.do(Tell{s.req, f})
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

func sortedKeys[V any](set map[string]V) []string {
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (m *Machine) isCompactCommand(p Prompt) bool {
	return m.agent.Capabilities.Compact && strings.TrimSpace(p.Text) == "/compact"
}

// outOfBand records the command and leaves what runs alone.
func (m *Machine) outOfBand(s *sending) {
	m.accepted(s, "", OutOfBand)
	m.taken(s.clientID, "")
	m.compact(0)
}

func (m *Machine) compact(req ReqID) {
	if m.sess.phase != sessionReady || m.sess.historyOnly {
		m.reply(req, nil, errNoSession(m.id))
		return
	}
	if m.run == nil { // the turn that it begins is awaited from now on
		m.track(&run{compact: true})
		m.setLifecycle(Running)
		m.emit()
	}
	m.call(pendingCall{kind: callCompact, req: req, op: Compact{}})
}

func (m *Machine) compactAnswered(c pendingCall, a Answer) {
	m.reply(c.req, nil, a.Err)
	if a.Err == nil {
		return
	}
	if r := m.run; r != nil && r.compact && r.phase == runStarting {
		m.run = nil
		m.setLifecycle(Idle)
		m.emit()
	}
	if c.req == 0 {
		m.record("", Item{Kind: timeline.Error, Text: a.Err.Error()})
	}
}
