package agentcore

import (
	"iter"
	"maps"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

func keys[V any](set map[string]V) iter.Seq[string] { return maps.Keys(set) }

// step feeds a machine and carries out its effects.
func (m *Manager) step(a *actor, in Input) {
	var stored []Stored
	for _, e := range a.machine.Step(m.opts.Clock.Now(), in) {
		switch e := e.(type) {
		case OpenSession:
			m.open(a, e)
		case CallSession:
			if a.session != nil && a.number == e.Session {
				a.session.Do(e.Call)
			}
		case StartTimer:
			m.startTimer(a, e)
		case StopTimer:
			a.stopTimer(e.Timer)
		case Append:
			m.views.apply(a.id, e.Entries)
			stored = append(stored, m.store(a, job{token: e.Token, entries: e.Entries})...)
		case Save:
			record := e.Record
			stored = append(stored, m.store(a, job{token: e.Token, record: &record})...)
		case Publish:
			m.views.publish(e.Update, m.opts.Hooks.Panicked)
		case Reply:
			m.answer(e.Req, e.Result, e.Err)
		case Tell:
			m.tell(e.Req, e.Fate)
		case Alert:
			if m.opts.Hooks.Attention != nil && !m.registry.down {
				m.opts.Hooks.Attention(e.Agent, e.Attention)
			}
		case Archived:
			m.archiveChildren(e.Agent)
		case Again:
			m.post(input{reg: arrival{Asked: e.Asked}})
		case Ended:
			m.end(a)
		}
	}
	for _, s := range stored {
		m.step(a, s)
	}
}

func (m *Manager) open(a *actor, e OpenSession) {
	number := e.Session
	a.session, a.number = nil, number
	a.session = a.provider.Open(e.Request, func(ev Event) {
		m.post(input{actor: a, in: Happened{number, ev}})
	})
}

func (m *Manager) startTimer(a *actor, e StartTimer) {
	a.stopTimer(e.Timer)
	a.timers[e.Timer] = m.opts.Clock.AfterFunc(e.Timer, e.After, func() {
		m.post(input{actor: a, in: Expired{e.Timer, e.Gen}})
	})
}

func (a *actor) stopTimer(name string) {
	if stop := a.timers[name]; stop != nil {
		stop()
		delete(a.timers, name)
	}
}

// end forgets an agent whose machine is done.
func (m *Manager) end(a *actor) {
	a.stopTimers()
	a.ended = true
	if m.actors[a.id] == a {
		delete(m.actors, a.id)
		m.views.end(a.id)
		m.carryOut(m.registry.step(gone{a.id}))
	}
}

// job is something to be stored: entries of the timeline, or the record.
type job struct {
	token   int
	entries []timeline.Entry
	record  *Record
}

// writer stores what an agent wants stored, in order, in the background. What
// gathers while it writes is written in one go.
type writer struct {
	jobs    []job // guarded by Manager.mu
	running bool
	failed  bool // the rows of the last write are still to be written
}

// store does a job, at once when that takes no time, and returns what the
// machine is to be told.
func (m *Manager) store(a *actor, j job) []Stored {
	if m.inline {
		return m.write(a, []job{j})
	}
	m.mu.Lock()
	a.writer.jobs = append(a.writer.jobs, j)
	start := !a.writer.running
	a.writer.running = true
	m.mu.Unlock()
	if start {
		m.inBackground(func() { m.writeAll(a) })
	}
	return nil
}

func (m *Manager) writeAll(a *actor) {
	for {
		m.mu.Lock()
		jobs := a.writer.jobs
		a.writer.jobs = nil
		a.writer.running = len(jobs) > 0
		m.mu.Unlock()
		if len(jobs) == 0 {
			return
		}
		for _, s := range m.write(a, jobs) {
			m.post(input{actor: a, in: s})
		}
	}
}

// write does jobs: the rows first, since no record may speak of rows that are
// not there; of the records the last one only.
func (m *Manager) write(a *actor, jobs []job) []Stored {
	var entries []timeline.Entry
	var record *Record
	for _, j := range jobs {
		entries = append(entries, j.entries...)
		if j.record != nil {
			record = j.record
		}
	}
	var rowsErr, recordErr error
	if len(entries) > 0 || a.writer.failed {
		rowsErr = m.opts.Timelines.Append(a.id, entries)
		a.writer.failed = rowsErr != nil
	}
	if record != nil {
		recordErr = m.opts.Records.Save(*record)
	}
	return outcomes(jobs, rowsErr, recordErr)
}

// outcomes are what the machine is to be told: of jobs with a token, and of
// failures.
func outcomes(jobs []job, rowsErr, recordErr error) []Stored {
	var told []Stored
	for _, j := range jobs {
		err := rowsErr
		if j.record != nil {
			err = recordErr
		}
		if j.token != 0 || err != nil {
			told = append(told, Stored{j.token, err})
		}
	}
	return told
}
