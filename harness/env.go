package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/reading"
	"github.com/heldstream/heldstream/harness/record"
	"github.com/heldstream/heldstream/internal/proc"
	"github.com/heldstream/heldstream/mockprovider"
)

// Env is the world of one run: everything that a step can touch.
type Env struct {
	plan     *plan.Plan
	codex    Codex
	keep     bool
	shim     []string
	serve    func(calls io.Reader, lines io.Writer) error // somebody else's manager, where it is a function
	patience time.Duration                                // with that manager's end
	log      *eventlog.Log
	run      *reading.Run // under the log's lock

	work     *proc.Work
	clock    *clock
	provider *mockprovider.Server
	backend  *processes
	wire     *codex.Wire
	holds    *holds
	trap     *codex.Trap
	subject  subject
	player   *tape.Player     // of a run from tape
	standing sync.WaitGroup   // its tools at gates
	recorded int              // its steps that were done when it was recorded
	recorder *record.Recorder // of a run that is recorded
	agents   roster
	tools    *tools // nil: the agents have none

	responded map[string]bool // permissions that steps have answered, by agent and id
	sends     int             // prompts handed to the manager so far
	unused    []mockprovider.Fault
}

// newEnv builds the world up to the point where every agent waits for its first
// prompt. On an error what was built is torn down again.
func newEnv(ctx context.Context, r *Runner, which Codex, p *plan.Plan, log *eventlog.Log) (*Env, error) {
	e := &Env{plan: p, keep: r.Keep, shim: r.Shim, serve: r.serve(), patience: r.patience(), codex: which, log: log, run: reading.New(), clock: newClock(), responded: map[string]bool{}}
	e.log.Attach(e.run.Apply)
	err := e.build(r.WorkRoot)
	if err == nil {
		err = e.open(ctx)
	}
	if err != nil {
		at := e.now()
		err = fmt.Errorf("%w\n%s%s", err, at.gates(), at.words)
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

func (e *Env) build(workRoot string) error {
	work, err := proc.OpenWork(workRoot)
	if err != nil {
		return fmt.Errorf("no work folder: %w; set HELDSTREAM_CACHE to a folder that can be written", err)
	}
	e.work = work
	if err := e.writeWorkspace(); err != nil {
		return err
	}
	if e.trap, err = codex.StartTrap(func(host string) { e.log.Append("", eventlog.Outside{Host: host}) }); err != nil {
		return err
	}
	script := *e.plan.Script
	script.Expand = e.expandName
	e.provider = &mockprovider.Server{Script: &script, Observe: e.observeProvider}
	e.backend = newProcesses(e, e.codex.backend(e))
	e.wire = e.newWire(e.backend)
	e.holds = newHolds(e)
	if e.player != nil {
		e.provider.Classify = e.recordedClass
	}
	e.subject = newSubject(e)
	return e.addAgents()
}

func (e *Env) addAgents() error {
	if wantsTools(e.plan) {
		if err := e.openTools(); err != nil {
			return err
		}
	}
	for _, a := range e.plan.Agents {
		if _, err := e.addAgent(a); err != nil {
			return err
		}
	}
	return nil
}

// ordinals number what managers name, so that two runs have the same ids.
func ordinals() func(kind string) string {
	var mu sync.Mutex
	counts := map[string]int{}
	return func(kind string) string {
		mu.Lock()
		defer mu.Unlock()
		counts[kind]++
		return fmt.Sprintf("%s-%d", kind, counts[kind])
	}
}

func (e *Env) open(ctx context.Context) error {
	if err := e.subject.open(ctx); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx) // who ended it says more than what was ended
		}
		return err
	}
	return e.settle(ctx)
}

func (e *Env) workspace() string { return filepath.Join(e.work.Dir, "workspace") }

func (e *Env) writeWorkspace() error {
	if err := os.MkdirAll(e.workspace(), 0o700); err != nil {
		return err
	}
	for name, content := range e.plan.Workspace.Files {
		if err := e.writeFile(name, content); err != nil {
			return err
		}
	}
	return nil
}

// inWorkspace returns the path of a file of the workspace; one that leads out
// of it is refused.
func (e *Env) inWorkspace(name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("file %q is not in the workspace; name it relative to it", name)
	}
	return filepath.Join(e.workspace(), name), nil
}

func (e *Env) writeFile(name string, content plan.Content) error {
	file, err := e.inWorkspace(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, contentBytes(content, e.expand), 0o600)
}

// close ends everything that the run has started. What codex or the manager
// still say then is after the last step and is not judged.
func (e *Env) close() error {
	var faults []error
	e.stopTools()
	if e.wire != nil {
		e.wire.Lift() // an exit can stand behind what a rule holds
	}
	if e.backend != nil {
		// First, whatever the manager waits for: its guards do not run.
		e.backend.closeAll()
	}
	if e.subject != nil {
		faults = append(faults, e.subject.close())
	}
	if e.provider != nil {
		e.provider.Close()
	}
	if e.holds != nil {
		e.holds.close()
	}
	e.standing.Wait()
	for _, a := range e.agents.all() {
		faults = append(faults, a.close())
	}
	faults = append(faults, e.tools.close())
	if e.trap != nil {
		faults = append(faults, e.trap.Close())
	}
	return errors.Join(append(faults, e.discard())...)
}

// discard ends what carries this run's mark and removes its folder, unless it
// is to be kept.
func (e *Env) discard() error {
	switch {
	case e.work == nil:
		return nil
	case e.keep:
		return e.work.Keep()
	}
	return e.work.Close()
}

// expand puts in the names that only the run knows.
func (e *Env) expand(text string) string {
	if !strings.Contains(text, "${") {
		return text
	}
	return names.ReplaceAllStringFunc(text, func(m string) string {
		if value, ok := e.expandName("", m[2:len(m)-1]); ok {
			return value
		}
		return m
	})
}
