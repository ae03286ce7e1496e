package harness

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/record"
	"github.com/heldstream/heldstream/harness/report"
	"github.com/heldstream/heldstream/mockprovider"
)

// newPlayer plays a tape against this run's provider.
func (e *Env) newPlayer(t *tape.Tape) *tape.Player {
	return &tape.Player{
		Tape: t, Name: e.nameOf, Provider: e.handlerOf, Tools: e.toolsOf, Places: e.places, Work: e.worked,
		Stand:    e.stand,
		Departed: func(d *tape.Departure) { e.parted(d) },
	}
}

func (e *Env) newRecorder() *record.Recorder {
	r := &record.Recorder{Name: e.nameOf, Places: e.places, Rollout: e.rolloutTypes(), Texts: record.Texts(e.plan.Codex)}
	e.log.Attach(r.Read)
	return r
}

// handlerOf is where an agent's requests go; a fork shares its origin's.
func (e *Env) handlerOf(name string) http.Handler {
	if a := e.agent(name); a != nil {
		name = a.Agent.Name
	}
	return e.provider.For(name)
}

// places are the texts of this run that are other ones in the next.
func (e *Env) places(cmd codex.Command) tape.Places {
	places := tape.Places{"cwd": cmd.Dir, "work": e.work.Dir, "proxy": strings.TrimPrefix(e.trap.URL(), "http://")}
	if a := e.agent(e.nameOf(cmd.Agent)); a != nil {
		places["home"] = a.home.Dir()
		places["provider"] = strings.TrimSuffix(strings.TrimPrefix(a.home.Provider.BaseURL, "http://"), "/v1")
	}
	return places
}

// recordedClass is the class that a request had when it was recorded.
func (e *Env) recordedClass(_ *http.Request, body []byte) (mockprovider.Class, string, bool) {
	class, ok := e.player.Class(body)
	return mockprovider.Class(class), "recorded", ok
}

// stalled says that the run waits for what cannot come: nothing is at work, each
// request stands at a gate or waits for the manager, and the tape waits for what only the manager or the
// provider could tell. It is called under the log's lock.
func (e *Env) stalled() error {
	switch {
	case e.player != nil && e.run.Work > 0:
		return nil
	case len(e.run.Troubles) > 0: // parted already
		return errors.New(e.run.Troubles[0])
	case e.player == nil:
		return nil
	}
	held := 0
	for _, q := range e.run.Requests {
		if q.Open() {
			if q.Gate == "" {
				return nil
			}
			held++
		}
	}
	for _, a := range e.run.Agents {
		held += a.Calling()
	}
	waits := e.player.WaitsFor()
	if waits == "" || held != e.player.Open() {
		return nil
	}
	return &stall{waits}
}

// stall is the error of a wait that a tape will never end.
type stall struct{ waits string }

func (s *stall) Error() string {
	return "the run parts from its recording: nothing is under way any more, and " + s.waits
}

// told puts a stall into the log, for it says nothing about the scenario.
func (e *Env) told(err error) error {
	var s *stall
	if errors.As(err, &s) {
		e.parted(s)
	}
	return err
}

// parted puts the first departure into the log; others are its consequences.
func (e *Env) parted(why error) {
	first := false
	e.log.View(func([]eventlog.Event) { first = len(e.run.Troubles) == 0 })
	if first {
		e.log.Append("", eventlog.Trouble{Text: why.Error()})
	}
}

// stand does what the command of a gate does: it opens the gate's pipe and reads
// until the other end is closed.
func (e *Env) stand(gate string, released func()) {
	path := e.holds.path(gate)
	e.worked(+1)
	e.standing.Go(func() {
		pipe, err := os.Open(path) // the gate's end counts the work down
		if err == nil {
			_, _ = io.Copy(io.Discard, pipe) // its end is what counts
			err = pipe.Close()
		}
		if pipe == nil {
			e.worked(-1)
		}
		if err != nil {
			e.parted(fmt.Errorf("the pipe of gate %s: %w", gate, err))
		}
		released()
		e.holds.told(gate)
	})
}

// rolloutTypes are the types of rollout lines that the plan looks at.
func (e *Env) rolloutTypes() map[string]bool {
	types := map[string]bool{}
	for _, x := range e.plan.Expect {
		if want, ok := x.Value.(*plan.RolloutWant); ok {
			for _, line := range want.Lines {
				types[line.Type] = true
			}
		}
	}
	return types
}

// tapeFile is where a variant's tape is, beside its golden.
func tapeFile(p *plan.Plan, version string) string {
	return strings.TrimSuffix(goldenFile(p, version), ".golden") + ".tape"
}

// HasTape reports whether there is a tape for a variant, good or not.
func HasTape(p *plan.Plan, usual string) bool {
	version := p.Codex.Version
	if version == usual {
		version = ""
	}
	_, err := os.Stat(tapeFile(p, version))
	return err == nil
}

// LoadTape reads the tape of a variant, and refuses one that was made from
// another scenario than the plan's. usual is the codex version whose tapes have
// no version in their name; "" for version is whichever there is.
func LoadTape(p *plan.Plan, version, usual string) (*tape.Tape, error) {
	if version == usual {
		version = ""
	}
	file := tapeFile(p, version)
	cure := "`" + updating(p, "--tape") + "` records it"
	if version != "" {
		cure = "`" + updating(p, "--tape", "--codex", "live@"+version) + "` records it"
	}
	t, err := readTape(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, noTape(file + ": there is no tape; " + cure)
	case err != nil:
		return nil, fmt.Errorf("%s: %w; %s anew", file, err, cure)
	case t.Head.Variant != p.Variant.String():
		return nil, fmt.Errorf("%s: the tape of variant %q, wanted %q; %s anew", file, t.Head.Variant, p.Variant.String(), cure)
	case t.Head.Scenario != record.Parts(p):
		return nil, fmt.Errorf("%s: the scenario has changed since it was recorded, in more than expectations; %s anew", file, cure)
	}
	return t, nil
}

// noTape is why a variant cannot be played from tape: there is none. One that
// cannot be used is no reason to leave it out.
type noTape string

func (n noTape) Error() string { return string(n) }

func withoutTape(p *plan.Plan, which Codex, err error) report.Result {
	res := blank(p, which)
	res.Verdict, res.Reason = report.Error, err.Error()
	if errors.As(err, new(noTape)) {
		res.Verdict = report.Skip
	}
	return res
}

func readTape(file string) (*tape.Tape, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(in, tape.MaxBytes+1))
	if err != nil {
		return nil, err
	}
	return tape.Parse(data)
}

// headOf is the head of a tape of this run.
func (e *Env) headOf() tape.Head {
	return tape.Head{Codex: e.codex.Version, Scenario: record.Parts(e.plan), Variant: e.plan.Variant.String()}
}

// LiveOnly says why a variant has no tape and is skipped where there is no live
// codex; "" for all others.
func LiveOnly(p *plan.Plan) string {
	switch {
	case p.Subject.Kind == "exec" || p.Subject.Kind == "manager" || !NeedsCodex(p):
		return "live only: its subject is a program that is run, and a tape keeps what an app-server of ours does"
	case slices.Contains(p.Tags, liveTag):
		return "live only: it has the tag " + liveTag + ", and its file says why"
	}
	return ""
}

// liveTag is the tag of scenarios in which codex does not do the same each time.
const liveTag = "live-only"

// taped finds the tape that a variant is played from.
func taped(p *plan.Plan, which Codex, usual string) (Codex, error) {
	if why := LiveOnly(p); why != "" {
		return which, noTape(why)
	}
	if which.Tape == nil {
		t, err := LoadTape(p, which.Version, usual)
		if err != nil {
			return which, err
		}
		which.Tape = t
	}
	if v := which.Tape.Head.Codex; which.Version != "" && which.Version != v {
		return which, fmt.Errorf("the tape is of codex %s, wanted %s", v, which.Version)
	}
	which.Version = which.Tape.Head.Codex
	return which, nil
}
