package agentcore

// interrupt asks for the end of what runs. Those that overlap are one.
func (m *Machine) interrupt(req ReqID) {
	if m.run == nil && len(m.lane) == 0 {
		m.reply(req, InterruptResult{"not_running"}, nil)
		return
	}
	for _, o := range m.lane {
		if o.kind == opInterrupt && o == m.lane[len(m.lane)-1] {
			o.reqs = append(o.reqs, req)
			return
		}
	}
	m.lane = append(m.lane, &op{kind: opInterrupt, reqs: []ReqID{req}})
}

// cancel interrupts the run. Not before the session has answered may another
// turn start: the interrupt could hit that one.
func (m *Machine) cancel(o *op) {
	r := m.run
	o.target = r
	if r.foreground && r.phase == runStarting && r.call == 0 {
		m.unstart(r)
		m.canceled(o)
		return
	}
	o.phase = opInterrupting
	o.call = m.call(pendingCall{kind: callInterrupt, op: InterruptTurn{r.turn}})
	m.startTimer("interrupt", m.limits.Interrupt)
}

func (m *Machine) interruptAnswered(c pendingCall, a Answer) {
	o := m.head()
	if o == nil || o.call != c.id || o.phase != opInterrupting {
		return // its guard ran out
	}
	m.stopTimer("interrupt")
	if a.Err != nil {
		m.notAcknowledged(o, false)
		return
	}
	o.phase = opSettling
	if m.run == o.target {
		m.startTimer("settle", m.limits.Settle)
	}
}

// notAcknowledged: the interrupt failed or hangs. If the turn does not end by
// itself, the operation is refused and nothing has changed.
func (m *Machine) notAcknowledged(o *op, last bool) {
	switch {
	case m.run != o.target:
		m.canceled(o)
	case last || m.limits.Rescue <= 0:
		m.refuseOp(o)
	default:
		o.phase = opRescuing
		m.startTimer("rescue", m.limits.Rescue)
	}
}

func (m *Machine) refuseOp(o *op) {
	m.pop()
	m.agent.Replacing = m.replaceWaits()
	action := map[opKind]string{opDeliver: "replace", opInterrupt: "interrupt", opReload: "reload"}[o.kind]
	m.failOp(o, &RefusedError{action, m.id})
}

// settleExpired: the interrupt was acknowledged and the turn does not end.
func (m *Machine) settleExpired(o *op) {
	if r := m.run; r == o.target {
		if r.phase == runStarting {
			m.unstart(r)
		} else {
			m.turnEnded(TurnEnded{Turn: r.turn, Status: TurnInterrupted, Error: "interrupted", presumed: true})
		}
	}
}

// canceled: nothing of the target runs any more.
func (m *Machine) canceled(o *op) {
	if m.asks.any() && m.run == nil {
		m.denyAll("Interrupted")
		m.emit()
	}
	switch {
	case o.kind == opInterrupt:
		m.pop()
		for _, req := range o.reqs {
			m.reply(req, InterruptResult{"settled"}, nil)
		}
	case o.text != nil && m.run != nil && o.refused && !m.planted(FaultInterruptNewer):
		m.changedTurn(o)
	default:
		o.phase = opNew
	}
}
