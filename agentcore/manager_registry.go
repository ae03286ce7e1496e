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
			m.remove(e)
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
	m.stored(func() any { return read() })
}

// rewrite saves the record of an agent that is not live.
func (m *Manager) rewrite(e rewrite) {
	m.stored(func() any { return wrote{e, m.opts.Records.Save(e.file.record)} })
}

// stored tells the registry what came of work with the stores: at once when
// that takes no time.
func (m *Manager) stored(work func() any) {
	if m.inline {
		m.post(input{reg: work()})
		return
	}
	m.inBackground(func() { m.post(input{reg: work()}) })
}

func (m *Manager) rewritten(e rewrite) {
	m.views.publish(StateChanged{e.file.record.agent()}, m.opts.Hooks.Panicked)
	m.answer(e.asked.Req, e.result, nil)
	if _, ok := e.asked.Request.(ArchiveRequest); ok {
		m.archiveChildren(e.file.id)
	}
}

// remove deletes what is stored of an agent that is not live.
func (m *Manager) remove(e remove) {
	m.stored(func() any {
		err := m.opts.Records.Delete(e.id)
		if err == nil {
			err = m.opts.Timelines.Delete(e.id)
		}
		return removed{e, err}
	})
}
