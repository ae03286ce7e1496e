package agentcore

import (
	"slices"
	"time"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// Machine decides everything about one agent. It is a pure state machine: Step
// takes an input and says what to do; there is no clock, goroutine, I/O or
// chance in it. It is not safe for concurrent use.
type Machine struct {
	id       string
	limits   Limits
	defaults Policy
	faults   Fault

	now time.Time
	out []Effect

	agent      Agent // what a snapshot shows, kept up to date
	registered bool  // the agent has been announced
	ended      bool
	fresh      string // the epoch of a timeline that is read anew
	primed     bool   // the timeline needs no history of the provider
	archived   *time.Time

	sess    session
	calls   []pendingCall // in the order of their ids
	run     *run
	lane    []*op
	waiting []*op      // deliveries that wait for a start
	queue   []*sending // held prompts, in order
	texts   map[string]*sending
	known   map[string]int64 // row numbers by client id
	unsure  []timeline.Row   // of texts whose fate an earlier process did not learn
	done    doneTurns
	rows    rows
	buffer  coalescer
	open    openItems
	asks    permissions
	waiters []waiter
	begun   int           // turns so far
	stored  map[int]Reply // to be sent when an Append or Save is durable
	alert   string        // reason to call for attention, once the state has been told
	dirty   bool          // the record is to be saved when the step is over
	saving  []Reply       // that wait for it
	tokens  int
	calling CallID
	timers  map[string]int
	timerNo int
	barrier bool    // a steer is being admitted: events are held
	held    []Event // by the barrier
	closing *closing
}

// Birth is what a Machine starts from.
type Birth struct {
	Record      Record
	Resume      *Handle
	HistoryOnly bool
	// Timeline is what is stored of it. Fresh: it is new, and Fresh its epoch.
	Timeline timeline.Timeline
	Fresh    string
	Limits   Limits
	Policy   Policy // of sends that have none
	Faults   Fault  // planted, to test those who look for faults
}

// NewMachine makes the machine of one agent. Its first input is the Asked with
// the CreateRequest or LoadRequest that it answers.
func NewMachine(b Birth) *Machine {
	m := &Machine{
		id: b.Record.ID, limits: b.Limits.withDefaults(), defaults: b.Policy, faults: b.Faults,
		texts: map[string]*sending{}, known: map[string]int64{}, stored: map[int]Reply{}, timers: map[string]int{},
		archived: b.Record.ArchivedAt,
	}
	m.agent = b.Record.agent()
	m.sess.resume, m.sess.historyOnly = b.Resume, b.HistoryOnly
	m.restore(b)
	return m
}

// agent is a snapshot of a closed agent.
func (r Record) agent() Agent {
	a := Agent{
		ID: r.ID, Lifecycle: Closed, Config: r.Config, Handle: r.Handle, Title: r.Title, Labels: r.Labels,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, LastUserMessageAt: r.LastUserMessageAt,
		LastError: r.LastError, Attention: r.Attention,
	}
	if r.Info != nil {
		a.Info = *r.Info
	}
	return a
}

func (m *Machine) restore(b Birth) {
	tl := b.Timeline
	m.rows = rows{epoch: tl.Epoch, next: tl.Next()}
	for _, r := range tl.Rows {
		m.rows.last, m.rows.lastAt = r.Item, r.At
		if r.Item.ClientID != "" {
			m.known[r.Item.ClientID] = r.Seq
			if r.Item.State == "" && r.ProviderID == "" && r.Turn != "" {
				m.unsure = append(m.unsure, r)
			}
		}
	}
	for _, h := range tl.Held {
		m.queue = append(m.queue, m.heldAgain(h, tl.Rows))
	}
	m.primed = len(tl.Rows) > 0 || b.Resume == nil
	m.showQueue()
	m.rows.born = tl.Epoch != ""
	if !m.rows.born {
		m.rows.epoch = b.Fresh
	}
}

// Step takes an input and returns what is to be done, in order. The slice is
// good until the next Step.
func (m *Machine) Step(now time.Time, in Input) []Effect {
	m.now, m.out = now, m.out[:0]
	if m.ended {
		m.afterEnd(in)
		return m.out
	}
	m.flushBirth()
	switch in := in.(type) {
	case Asked:
		m.asked(in)
	case Happened:
		if in.Session == m.sess.number {
			m.intake(in.Event)
		}
	case Expired:
		if gen, ok := m.timers[in.Timer]; ok && gen == in.Gen {
			delete(m.timers, in.Timer)
			m.expired(in.Timer)
		}
	case Stored:
		m.storedNow(in)
	case Forgotten:
		m.forget(in.Req)
	}
	m.advance()
	m.wake()
	m.saveNow()
	return m.out
}

// afterEnd answers what still comes in, while the last record is being stored.
func (m *Machine) afterEnd(in Input) {
	switch in := in.(type) {
	case Asked:
		m.asked(in)
	case Stored:
		m.storedNow(in)
	}
}

func (m *Machine) do(e Effect) { m.out = append(m.out, e) }

func (m *Machine) reply(req ReqID, result any, err error) {
	if req != 0 {
		m.do(Reply{req, result, err})
	}
}

// storedNow answers what waited for an Append or a Save.
func (m *Machine) storedNow(in Stored) {
	if m.closing != nil && in.Token != 0 && m.closing.token == in.Token {
		m.closed(in.Err)
		return
	}
	r, ok := m.stored[in.Token]
	delete(m.stored, in.Token)
	if in.Err != nil {
		m.publish(Streamed{m.id, Notice{Level: "error", Text: "not stored: " + in.Err.Error()}})
		r.Result, r.Err = nil, &Error{in.Err, "Agent " + m.id + " could not be stored: " + in.Err.Error()}
	}
	if ok {
		m.reply(r.Req, r.Result, r.Err)
	}
}

// token names what is to be stored, for the reply that waits for it; 0 when
// none does.
func (m *Machine) token(r Reply) int {
	if r.Req == 0 {
		return 0
	}
	m.tokens++
	m.stored[m.tokens] = r
	return m.tokens
}

func (m *Machine) publish(u Update) { m.do(Publish{u}) }

func (m *Machine) startTimer(name string, d time.Duration) {
	m.timerNo++
	m.timers[name] = m.timerNo
	m.do(StartTimer{name, m.timerNo, d})
}

func (m *Machine) stopTimer(name string) {
	if _, ok := m.timers[name]; ok {
		delete(m.timers, name)
		m.do(StopTimer{name})
	}
}

// touch gives the agent a new time of update, later than the one before.
func (m *Machine) touch() { m.agent.UpdatedAt = later(m.agent.UpdatedAt, m.now) }

// emit tells the state and has it saved, once the agent has been announced.
func (m *Machine) emit() {
	if !m.registered {
		return
	}
	m.touch()
	m.publish(StateChanged{m.Snapshot()})
	if m.alert != "" {
		m.do(Alert{m.id, Attention{m.alert, m.now}})
		m.alert = ""
	}
	m.save(Reply{})
}

// raise calls for attention once the state has been told. Internal agents and
// children never do: somebody else looks after them.
func (m *Machine) raise(reason string) {
	if !m.agent.Config.Internal && m.agent.Labels[ParentLabel] == "" {
		m.alert = reason
	}
}

// save has the record written at the end of the step; the reply waits for it.
func (m *Machine) save(r Reply) {
	if m.agent.Config.Internal {
		m.reply(r.Req, r.Result, r.Err)
		return
	}
	m.dirty = true
	if r.Req != 0 {
		m.saving = append(m.saving, r)
	}
}

// saveNow writes the record if it has changed: once, however many wait for it.
func (m *Machine) saveNow() {
	if !m.dirty {
		return
	}
	record := m.Record()
	if len(m.saving) == 0 {
		m.do(Save{0, record})
	}
	for _, r := range m.saving {
		m.do(Save{m.token(r), record})
	}
	m.dirty, m.saving = false, nil
}

// Snapshot is the state of the agent, as a StateChanged would show it. It
// shares nothing that changes.
func (m *Machine) Snapshot() Agent {
	a := m.agent
	a.Permissions = m.asks.list()
	a.Turn, a.Foreground, a.Starting = "", false, m.starting()
	if m.run != nil {
		a.Turn, a.Foreground = m.run.turn, m.run.foreground
	}
	return a
}

// Record is what is to be kept of the agent.
func (m *Machine) Record() Record {
	a := &m.agent
	r := Record{
		ID: a.ID, Provider: a.Config.Provider, Cwd: a.Config.Cwd, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt,
		LastUserMessageAt: a.LastUserMessageAt, Title: a.Title, Labels: a.Labels, LastStatus: a.Lifecycle,
		Config: a.Config, Handle: a.Handle, LastError: a.LastError, Attention: a.Attention, ArchivedAt: m.archived,
	}
	if a.Info != (RuntimeInfo{}) {
		info := a.Info
		r.Info = &info
	}
	return r
}

// setLifecycle changes what the agent is doing. The edge from running to idle
// or error asks for attention.
func (m *Machine) setLifecycle(l Lifecycle) {
	was := m.agent.Lifecycle
	if l == Idle && m.agent.Replacing && !m.planted(FaultIdleInReplace) {
		l = Running
	}
	m.agent.Lifecycle = l
	if m.agent.Config.Internal || was == l || m.agent.Attention != nil {
		return
	}
	reason := ""
	switch {
	case was == Running && l == Idle:
		reason = "finished"
	case l == Failed:
		reason = "error"
	default:
		return
	}
	m.agent.Attention = &Attention{reason, m.now}
	m.raise(reason)
}

// edit changes what the manager itself keeps of the agent.
func (m *Machine) edit(req ReqID, r EditRequest) {
	read := m.agent.Lifecycle == Idle && m.agent.Attention == nil && !m.asks.any()
	if err := r.apply(&m.agent, read, m.now); err != nil {
		m.reply(req, nil, err)
		return
	}
	m.emit()
	m.save(Reply{Req: req, Result: m.Snapshot()})
}

// showQueue puts the queue into the snapshot.
func (m *Machine) showQueue() {
	held := make([]timeline.Held, 0, len(m.queue))
	for _, s := range m.queue {
		held = append(held, s.held())
	}
	m.agent.Queued = slices.Clip(held)
}
