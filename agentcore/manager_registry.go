package agentcore

// carryOut does what the registry wants.
func (m *Manager) carryOut(effects []regEffect) {
	for _, e := range effects {
		switch e := e.(type) {
		case refuse:
			m.answer(e.req, nil, e.err)
		case fetch:
			m.fetch(e)
		case birth:
			m.birth(e)
		case route:
			e.in.Fresh = m.freshFor(e.in.Request)
			m.step(m.actors[e.id], e.in)
		case accept:
			m.answer(e.req, e.result, nil)
		case rewrite:
			m.rewrite(e)
		case rewritten:
			m.rewritten(e.rewrite)
		case remove:
			m.inBackground(func() {
				err := m.remove(e.id)
				m.post(input{reg: func() { m.answer(e.req, nil, err) }})
			})
		}
	}
}

// freshFor is a new epoch for requests that may need one.
func (m *Manager) freshFor(r Request) string {
	switch r.(type) {
	case ReloadRequest, HydrateRequest:
		return m.opts.NewID("epoch")
	}
	return ""
}

func (m *Manager) birth(e birth) {
	b := e.Birth
	b.Limits, b.Policy, b.Faults = m.opts.Limits, m.opts.Policy, m.opts.Faults
	b.Fresh = m.opts.NewID("epoch")
	a := &actor{
		id: b.Record.ID, machine: NewMachine(b), timers: map[string]func(){},
		provider: m.opts.Providers[b.Record.Config.Provider],
	}
	m.actors[a.id] = a
	m.views.begin(a.id, b.Timeline)
	e.first.Fresh = b.Fresh
	m.step(a, e.first)
}

// fetch reads what is stored of an agent.
func (m *Manager) fetch(e fetch) {
	read := func() fetched {
		f := fetched{id: e.id}
		f.record, f.err = m.opts.Records.Load(e.id)
		switch {
		case f.err != nil && e.new:
			_ = m.opts.Timelines.Delete(e.id) // left by an agent that never got a record
		case f.err == nil:
			f.timeline, f.err = m.opts.Timelines.Load(e.id)
		}
		return f
	}
	if m.inline {
		m.post(input{reg: read()})
		return
	}
	m.inBackground(func() { m.post(input{reg: read()}) })
}

// rewrite saves the record of an agent that is not live.
func (m *Manager) rewrite(e rewrite) {
	save := func() wrote { return wrote{e, m.opts.Records.Save(e.file.record)} }
	if m.inline {
		m.post(input{reg: save()})
		return
	}
	m.inBackground(func() { m.post(input{reg: save()}) })
}

func (m *Manager) rewritten(e rewrite) {
	m.views.publish(StateChanged{e.file.record.agent()}, m.opts.Hooks.Panicked)
	m.answer(e.asked.Req, e.result, nil)
	if _, ok := e.asked.Request.(ArchiveRequest); ok {
		m.archiveChildren(e.file.id)
	}
}

func (m *Manager) remove(id string) error {
	if err := m.opts.Records.Delete(id); err != nil {
		return err
	}
	return m.opts.Timelines.Delete(id)
}
