package interact

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// openCall is a call that the script has not answered.
type openCall struct {
	id   agentcore.CallID
	kind string
}

// player plays the world around a machine: callers, session, clock and store.
type player struct {
	settings settings
	machine  *agentcore.Machine
	check    *checker // nil: nobody looks
	now      time.Time
	session  int
	opening  *agentcore.OpenSession
	calls    []openCall
	timers   map[string]agentcore.StartTimer
	turns    map[string]bool // by id: still open at the provider
	reqs     agentcore.ReqID
	names    map[agentcore.ReqID]string
	out      *bytes.Buffer // nil: nothing is written
	log      timeline.Timeline
	record   agentcore.Record
	hold     bool
	fail     bool
	held     []heldStored
	fresh    int
}

// heldStored is something that the store has not told its machine yet.
type heldStored struct {
	machine *agentcore.Machine
	stored  agentcore.Stored
}

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newPlayer(s settings) *player {
	return &player{settings: s, now: epoch, timers: map[string]agentcore.StartTimer{}, turns: map[string]bool{}, names: map[agentcore.ReqID]string{}}
}

// again makes the player new, in the same memory: an exploration plays tens of
// thousands of orders.
func (p *player) again() {
	clear(p.timers)
	clear(p.turns)
	clear(p.names)
	if p.check != nil {
		p.check.again()
	}
	*p = player{
		settings: p.settings, check: p.check, now: epoch, timers: p.timers, turns: p.turns, names: p.names,
		calls: p.calls[:0], held: p.held[:0], log: timeline.Timeline{Rows: p.log.Rows[:0]},
	}
}

// possible says what is missing for the input to make sense now: the call that
// it answers must be open, the timer must run, there must be an agent.
func (p *player) possible(c *command) (missing string) {
	switch {
	case c.answers != "" && p.find(c) < 0:
		return "no such call is open"
	case c.timer != "" && !p.runs(c.timer):
		return "the timer does not run"
	case c.request == nil && c.opens && p.opening == nil:
		return "no session is opening"
	case p.machine == nil && !c.creates() && c.special != "store" && (p.record.ID == "" || !onStored(c.request)):
		return "there is no agent"
	}
	return ""
}

func (p *player) runs(timer string) bool { _, ok := p.timers[timer]; return ok }

func (c *command) creates() bool {
	switch c.request.(type) {
	case agentcore.CreateRequest, agentcore.LoadRequest:
		return true
	}
	return false
}

// likely is possible with the session's own sense: nothing is said of a turn
// that is not open.
func (p *player) likely(c *command) bool {
	if p.possible(c) != "" {
		return false
	}
	if c.event != nil && !c.opens && (p.session == 0 || p.opening != nil) {
		return false
	}
	return c.turn == "" || p.turns[c.turn]
}

func (p *player) find(c *command) int {
	n := c.nth
	for i, call := range p.calls {
		if call.kind == c.answers {
			if n == 0 {
				return i
			}
			n--
		}
	}
	return -1
}

// play plays one input, or says why that is not possible.
func (p *player) play(c *command) (missing string) {
	if missing := p.possible(c); missing != "" {
		return missing
	}
	p.now = p.now.Add(time.Millisecond)
	if c.begins != "" {
		p.turns[c.begins] = true
	}
	switch {
	case c.special != "":
		p.special(c)
	case c.request != nil:
		p.ask(c)
		if c.opens && p.opening != nil {
			p.step(p.opened("thread-1"))
		}
	case c.answers != "":
		i := p.find(c)
		id := p.calls[i].id
		p.calls = slices.Delete(p.calls, i, i+1)
		p.step(agentcore.Happened{Session: p.session, Event: agentcore.Answer{Call: id, Value: c.value, Err: c.err}})
	case c.timer != "":
		t := p.timers[c.timer]
		delete(p.timers, c.timer)
		p.now = p.now.Add(t.After)
		p.step(agentcore.Expired{Timer: c.timer, Gen: t.Gen})
	case c.opens:
		p.step(p.opened(c.or(1, "thread-1")))
	default:
		p.step(agentcore.Happened{Session: p.session, Event: c.event})
	}
	if c.ends != "" {
		p.turns[c.ends] = false
	}
	return ""
}

func (p *player) opened(thread string) agentcore.Input {
	if r := p.opening.Request.Resume; r != nil {
		thread = r.SessionID
	}
	p.session = p.opening.Session
	p.opening = nil
	return agentcore.Happened{Session: p.session, Event: agentcore.Opened{
		Handle: agentcore.Handle{Provider: "script", SessionID: thread}, Info: agentcore.RuntimeInfo{Provider: "script"}, Capabilities: p.settings.caps,
	}}
}

// ask puts a caller's request, to a new machine when there is none.
func (p *player) ask(c *command) {
	p.reqs++
	p.fresh++
	asked := agentcore.Asked{Req: p.reqs, Request: c.request, Fresh: "e" + strconv.Itoa(p.fresh)}
	p.names[p.reqs] = label(c)
	p.deliver(asked)
}

func label(c *command) string {
	switch r := c.request.(type) {
	case agentcore.SendRequest:
		return r.ClientID
	case agentcore.RunRequest:
		return r.ClientID
	}
	return c.words[0]
}

func (p *player) birth(a agentcore.Asked) {
	b := agentcore.Birth{Fresh: a.Fresh, Limits: p.settings.limits, Policy: p.settings.policy, Faults: p.settings.faults}
	switch r := a.Request.(type) {
	case agentcore.CreateRequest:
		b.Resume = r.Resume
		b.Record = agentcore.Record{ID: agentID, Provider: "script", Cwd: r.Config.Cwd, Config: r.Config, Title: r.Title, Labels: r.Labels, CreatedAt: p.now, UpdatedAt: p.now}
	case agentcore.LoadRequest:
		b.Record, b.Resume, b.Timeline = p.record, p.record.Handle, p.log.Clone()
		b.HistoryOnly = r.HistoryOnly || p.record.ArchivedAt != nil
	}
	p.machine = agentcore.NewMachine(b)
	if p.check != nil {
		p.check.born(b)
	}
}

// step feeds the machine and carries out its effects.
func (p *player) step(in agentcore.Input) { p.stepOf(p.machine, in) }

func (p *player) stepOf(m *agentcore.Machine, in agentcore.Input) {
	effects := m.Step(p.now, in)
	if p.check != nil && m == p.machine {
		p.check.step(in, effects, m)
	}
	var again []agentcore.Asked
	ended := false
	for _, e := range effects {
		switch e := e.(type) {
		case agentcore.OpenSession:
			opening := e
			p.opening, p.session, p.calls = &opening, e.Session, nil
			clear(p.turns) // what ran, ran in another session
		case agentcore.CallSession:
			p.calls = append(p.calls, openCall{e.Call.ID, callName(e.Call.Op)})
		case agentcore.StartTimer:
			p.timers[e.Timer] = e
		case agentcore.StopTimer:
			delete(p.timers, e.Timer)
		case agentcore.Append:
			p.apply(e.Entries)
			p.store(m, e.Token)
		case agentcore.Save:
			p.record = e.Record
			p.store(m, e.Token)
		case agentcore.Again:
			again = append(again, e.Asked)
		case agentcore.Ended:
			ended = true
		}
		p.write(e)
	}
	if !p.hold {
		p.settle()
	}
	if ended && p.machine == m {
		p.machine = nil
	}
	for _, a := range again {
		p.deliver(a)
	}
}

// deliver puts a request to the machine; when there is none to a new one, or to
// the record.
func (p *player) deliver(a agentcore.Asked) {
	if p.machine == nil && onStored(a.Request) {
		p.onRecord(a)
		return
	}
	if p.machine == nil {
		p.birth(a)
	}
	p.step(a)
}

// onStored says whether a request can be carried out without a machine.
func onStored(r agentcore.Request) bool {
	switch r.(type) {
	case agentcore.ArchiveRequest, agentcore.UnarchiveRequest, agentcore.EditRequest:
		return true
	}
	return false
}

func (p *player) onRecord(a agentcore.Asked) {
	result, changed, err := agentcore.OnRecord(&p.record, a.Request, p.now)
	if _, archives := a.Request.(agentcore.ArchiveRequest); archives && changed {
		p.write(agentcore.Archived{Agent: agentID})
	}
	p.write(agentcore.Reply{Req: a.Req, Result: result, Err: err})
}

func (p *player) apply(entries []timeline.Entry) {
	for _, e := range entries {
		if err := p.log.Apply(e); err != nil && p.check != nil {
			p.check.fault("I2", "%v", err)
		}
	}
}

// store notes what the machine is to be told; of what nobody waits for, only
// that it failed.
func (p *player) store(m *agentcore.Machine, token int) {
	if token != 0 || p.hold || p.fail {
		p.held = append(p.held, heldStored{m, agentcore.Stored{Token: token}})
	}
}

// settle tells the machines what has been stored.
func (p *player) settle() {
	for len(p.held) > 0 {
		h := p.held[0]
		p.held = p.held[1:]
		if p.fail {
			h.stored.Err = errors.New("no space left")
		}
		if h.stored.Token != 0 || p.fail {
			p.stepOf(h.machine, h.stored)
		}
	}
}

func (p *player) special(c *command) {
	switch c.special {
	case "store":
		p.hold, p.fail = c.or(1, "") == "hold", c.or(1, "") == "fail"
		if !p.hold {
			p.settle()
		}
	case "state":
		p.writeLine(describeState(p.machine.Snapshot()))
	case "queue":
		for _, h := range p.machine.Snapshot().Queued {
			p.writeLine("queued " + h.ClientID)
		}
	}
}

func (p *player) writeLine(line string) {
	if p.out != nil && line != "" {
		p.out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func (p *player) write(e agentcore.Effect) {
	if p.out != nil {
		p.writeLine(describe(e, p.names))
	}
}

// Play plays a transcript and returns it with what came of each input. Lanes
// have no meaning here: the inputs are played as they stand.
func Play(name string, data []byte) ([]byte, error) {
	s, err := newScript(name, data)
	if err != nil {
		return nil, err
	}
	var out, did bytes.Buffer
	for _, b := range s.heads {
		writeInput(&out, b)
	}
	p := newPlayer(s.settings)
	p.out, p.check = &did, newChecker()
	for i := range s.commands {
		c := &s.commands[i]
		did.Reset()
		if missing := p.play(c); missing != "" {
			did.WriteString("not possible: " + missing + "\n")
		}
		for _, f := range p.check.takeFaults() {
			did.WriteString("VIOLATED " + f.String() + "\n")
		}
		if out.Len() > 0 {
			out.WriteString("\n")
		}
		writeInput(&out, c.block)
		out.WriteString("----\n")
		out.Write(did.Bytes())
	}
	for _, t := range s.tail {
		out.WriteString("\n" + t + "\n")
	}
	return out.Bytes(), nil
}

func writeInput(out *bytes.Buffer, b block) {
	for _, r := range b.remarks {
		out.WriteString(r + "\n")
	}
	out.WriteString(b.line + "\n")
}
