package agentcore

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
