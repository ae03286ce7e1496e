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
	kill := &killing{}
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
			if kill.over() {
				p.env.worked(-1)
			}
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
	return loggedProcess{child, p.env, name, kill}, nil
}

// killing is whether a process was killed and has not gone yet: until then the
// run is not settled, for the manager will still hear of its end.
type killing struct {
	mu          sync.Mutex
	begun, gone bool
}

// begin reports whether this is the first kill of a process that lives.
func (k *killing) begin() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	first := !k.begun && !k.gone
	k.begun = true
	return first
}

// over marks the end of the process, and reports whether a kill waited for it.
func (k *killing) over() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.gone = true
	return k.begun
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
	env   *Env
	agent string
	kill  *killing
}

func (p loggedProcess) Write(line []byte) {
	p.env.log.Append(p.agent, eventlog.ToCodex{Line: bytes.Clone(line)})
	p.Process.Write(line)
}

func (p loggedProcess) Kill() {
	if p.kill.begin() {
		p.env.worked(+1)
	}
	p.Process.Kill()
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

// reopen lets processes be started again after closeAll.
func (p *processes) reopen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = false
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
