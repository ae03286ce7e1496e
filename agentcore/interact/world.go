package interact

import (
	"errors"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

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
