package agentcore

import (
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
