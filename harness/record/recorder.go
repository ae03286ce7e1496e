package record

import (
	"bytes"
	"sync"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/harness/eventlog"
)

// Recorder listens to one run. Its fields are set before the run begins; its
// methods are safe for concurrent use.
type Recorder struct {
	// Name gives the scenario's name of the agent of a Command; nil: the same.
	Name func(agent string) string
	// Places are the texts of this run that are others in the next.
	Places func(codex.Command) tape.Places
	// Rollout holds the types of lines to keep of what codex has written of the
	// conversations.
	Rollout map[string]bool
	// Texts are the scenario's own, which are kept whole even where codex sends
	// them as its own.
	Texts []string

	mu        sync.Mutex
	entries   []entry
	questions int // asked of the manager's tools so far
}

// entry is one thing that happened; process numbers the processes of the run, 0
// where it is not known.
type entry struct {
	agent   string
	process int
	what    any // a type below, or a body of the log
}

type (
	spawned struct{ places tape.Places }
	told    struct{ line []byte } // by the manager
	said    struct{ line []byte } // by codex
	ending  struct{ how string }
	exited  struct{ exit codex.Exit }
)

// Backend wraps the backend that runs codex itself, inside of anything that holds
// or changes messages: what counts is what codex was told.
func (r *Recorder) Backend(inner codex.Backend) codex.Backend { return &tap{r, inner} }

// Read takes an event of the log; it is to be attached to it.
func (r *Recorder) Read(e eventlog.Event) {
	switch e.Body.(type) {
	case eventlog.Request, eventlog.Sent, eventlog.Gone, eventlog.Ended, eventlog.Rollout,
		eventlog.ToolHeld, eventlog.ToolReleased:
		r.add(entry{agent: e.Agent, what: e.Body})
	}
}

func (r *Recorder) add(e entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = append(r.entries, e)
}

func (r *Recorder) spawn(agent string, places tape.Places) (process int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	process = 1
	for _, e := range r.entries {
		process = max(process, e.process+1)
	}
	r.entries = append(r.entries, entry{agent, process, spawned{places}})
	return process
}

// Tape is what was recorded so far.
func (r *Recorder) Tape(head tape.Head) (*tape.Tape, error) {
	r.mu.Lock()
	entries := r.entries[:len(r.entries):len(r.entries)]
	r.mu.Unlock()
	return build(head, entries, r.Rollout, r.Texts)
}

// tap listens at the wire: a line to codex is noted before it is written, one
// from codex after it was read.
type tap struct {
	r     *Recorder
	inner codex.Backend
}

// Start implements codex.Backend.
func (t *tap) Start(cmd codex.Command, cb codex.Callbacks) (codex.Process, error) {
	agent := cmd.Agent
	if t.r.Name != nil {
		agent = t.r.Name(agent)
	}
	var places tape.Places
	if t.r.Places != nil {
		places = t.r.Places(cmd)
	}
	n := t.r.spawn(agent, places)
	note := func(what any) { t.r.add(entry{agent, n, what}) }
	line, exit := cb.Line, cb.Exit
	cb.Line = func(b []byte) { note(said{bytes.Clone(b)}); line(b) }
	cb.Exit = func(e codex.Exit) { note(exited{e}); exit(e) }
	p, err := t.inner.Start(cmd, cb)
	if err != nil {
		note(exited{codex.Exit{Code: -1}})
		return nil, err
	}
	return &tapped{p, note}, nil
}

type tapped struct {
	codex.Process
	note func(any)
}

func (t *tapped) Write(line []byte) { t.note(told{bytes.Clone(line)}); t.Process.Write(line) }
func (t *tapped) Close()            { t.note(ending{"close"}); t.Process.Close() }
func (t *tapped) Kill()             { t.note(ending{"kill"}); t.Process.Kill() }
