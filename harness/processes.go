package harness

import (
	"bytes"
	"errors"
	"sync"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/harness/eventlog"
)

// processes wraps the backend: it writes what codex is told and what it says
// into the log, and remembers what runs, so that a step can kill it and the end
// of the run leaves nothing.
//
// It stands below the wire that a scenario can hold: the log has what codex
// really said and heard, whatever the manager has heard of it.
type processes struct {
	env   *Env
	inner codex.Backend

	mu      sync.Mutex
	running map[string]codex.Process // by agent id: the newest
	all     []codex.Process
	closed  bool // no more are started
	ended   sync.WaitGroup
}

func newProcesses(e *Env, inner codex.Backend) *processes {
	return &processes{env: e, inner: inner, running: map[string]codex.Process{}}
}

// Start implements codex.Backend.
func (p *processes) Start(cmd codex.Command, cb codex.Callbacks) (codex.Process, error) {
	name := p.env.nameOf(cmd.Agent)
	log := p.env.log
	if err := p.begin(); err != nil {
		return nil, err
	}
	log.Append(name, eventlog.Started{})
	child, err := p.inner.Start(cmd, codex.Callbacks{
		Line: func(line []byte) {
			p.counted(func() {
				log.Append(name, eventlog.FromCodex{Line: bytes.Clone(line)})
				cb.Line(line)
			})
		},
		Stderr: func(text []byte) {
			log.Append(name, eventlog.Stderr{Text: string(text)})
			cb.Stderr(text)
		},
		Exit: func(x codex.Exit) {
			defer p.ended.Done()
			p.counted(func() {
				log.Append(name, exited(x))
				cb.Exit(x)
			})
		},
	})
	if err != nil {
		p.ended.Done()
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[cmd.Agent] = child
	p.all = append(p.all, child)
	if p.closed { // while it was being started
		child.Close()
	}
	return loggedProcess{child, name, log}, nil
}

// begin counts a process that is about to be started.
func (p *processes) begin() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errors.New("the run is over")
	}
	p.ended.Add(1)
	return nil
}

// counted keeps the run from being settled between a happening and its arrival
// at the manager.
func (p *processes) counted(f func()) {
	p.env.worked(+1)
	defer p.env.worked(-1)
	f()
}

type loggedProcess struct {
	codex.Process
	agent string
	log   *eventlog.Log
}

func (p loggedProcess) Write(line []byte) {
	p.log.Append(p.agent, eventlog.ToCodex{Line: bytes.Clone(line)})
	p.Process.Write(line)
}

// kill ends the process of an agent at once, and reports whether there was one.
func (p *processes) kill(agentID string) bool {
	p.mu.Lock()
	child := p.running[agentID]
	p.mu.Unlock()
	if child == nil {
		return false
	}
	child.Kill()
	return true
}

// closeAll ends every process, those that are being started too, and returns
// when all are gone.
func (p *processes) closeAll() {
	p.mu.Lock()
	p.closed = true
	for _, child := range p.all {
		child.Close()
	}
	p.mu.Unlock()
	p.ended.Wait()
}
