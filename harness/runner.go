package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/golden"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

// Runner plays plans. Its fields are set before the first Play, which may be
// called from several goroutines.
type Runner struct {
	// Find returns the codex of a version; "" is whichever the run uses. An
	// error makes the variant a skip with the error's text as reason.
	Find     func(version string) (Codex, error)
	WorkRoot string        // where each run makes its folder
	Usual    string        // the codex version whose goldens and tapes have no version in their names
	Deadline time.Duration // of a scenario that names none; 0: DefaultDeadline
	Slow     float64       // factor on deadlines; 0: 1
	Keep     bool          // leave the folders of runs where they are
	// Shim is the command that stands for codex before somebody else's manager:
	// a program that hands what follows to codexshim.Main.
	Shim []string
	// Manager, when not nil, stands in for the manager of each scenario. Its
	// runs are not compared with goldens.
	Manager *Manager
}

// Codex is which codex is played.
type Codex struct {
	Mode    string // live, tape
	Version string
	Binary  string     // of a live one
	Tape    *tape.Tape // of a recorded one; nil: the variant's own
	Record  bool       // make a tape of a live one
}

func (c Codex) backend(e *Env) codex.Backend {
	if c.Tape != nil {
		e.player = e.newPlayer(c.Tape)
		return e.player
	}
	live := &codex.Live{Binary: c.Binary, Mark: e.work.Mark}
	if c.Record {
		e.recorder = e.newRecorder()
		return e.recorder.Backend(live)
	}
	return live
}

// spoiltTries is how often a run that codex spoilt is played before it counts
// as an error.
const spoiltTries = 4

// Play plays one variant and judges it. A run that codex itself spoilt gives no
// verdict and is played again. The verdict is empty when ctx ended the run.
func (r *Runner) Play(ctx context.Context, p *plan.Plan) Outcome {
	out := r.playable(ctx, p)
	out.other, out.Result.Manager = r.Manager != nil, r.Manager.words()
	if ctx.Err() != nil && out.Result.Verdict.Bad() {
		out.Result.Verdict = "" // nobody can tell what it would have come to
	}
	return out
}

// playable plays a variant, or says why it cannot be played here.
func (r *Runner) playable(ctx context.Context, p *plan.Plan) Outcome {
	began := time.Now()
	if r.Manager != nil {
		other, err := r.Manager.instead(p)
		if err != nil {
			return Outcome{Result: skipped(p, err)}
		}
		p = other
	}
	which, err := r.find(p)
	if err != nil {
		return Outcome{Result: skipped(p, err)}
	}
	if which.Mode == "tape" {
		if which, err = taped(p, which, r.Usual); err != nil {
			return Outcome{Result: withoutTape(p, which, err)}
		}
	}
	out := r.play(ctx, p, which)
	out.Result.Duration = time.Since(began)
	return out
}

// find finds all that the plan's subject needs on this machine.
func (r *Runner) find(p *plan.Plan) (Codex, error) {
	if p.Subject.Kind == "command" || p.Subject.Kind == "manager" && r.serve() == nil {
		if _, err := argv(p); err != nil {
			return Codex{Version: p.Codex.Version}, err
		}
	}
	if p.Subject.Kind == "manager" && len(r.Shim) == 0 {
		return Codex{Version: p.Codex.Version}, errors.New("this program cannot stand for codex before a manager: set Runner.Shim, or use `replay run`")
	}
	if !NeedsCodex(p) {
		return Codex{}, nil
	}
	return r.Find(p.Codex.Version)
}

// NeedsCodex reports whether a plan is about codex at all.
func NeedsCodex(p *plan.Plan) bool { return p.Subject.Kind != "command" }

func (r *Runner) play(ctx context.Context, p *plan.Plan, which Codex) Outcome {
	var out Outcome
	for try := range spoiltTries {
		out = r.once(ctx, p, which)
		out.Result.Spoilt = try
		if !out.spoilt || ctx.Err() != nil {
			break
		}
	}
	if out.spoilt {
		out.Result.Verdict = report.Error
		out.Result.Reason = fmt.Sprintf("codex dropped a task at its 100 ms after an interrupt in each of %d tries: this machine is too slow for it now; close other programs or use --codex tape", spoiltTries)
	}
	return out
}

// Outcome is a judged run with its log and what its golden would be.
type Outcome struct {
	Result report.Result
	Golden golden.File
	Events []eventlog.Event
	spoilt bool
	other  bool       // by another manager than the scenario's
	tape   *tape.Tape // with Codex.Record
}

// once plays a variant from an empty work folder to the verdict.
func (r *Runner) once(ctx context.Context, p *plan.Plan, which Codex) Outcome {
	if err := unfit(p); err != nil {
		res := blank(p, which)
		res.Verdict, res.Reason = report.Error, err.Error()
		return Outcome{Result: res}
	}
	log := eventlog.New()
	bounded, stop := withDeadline(ctx, log, r.deadline(p))
	defer stop()
	e, err := newEnv(bounded, r, which, p, log)
	if err != nil {
		res := blank(p, which)
		res.Verdict, res.Reason = report.Error, err.Error()
		return Outcome{Result: res, Events: log.Events()}
	}
	failed := e.playSteps(bounded)
	e.log.Update(func() { e.run.Closing = true })
	e.begin(len(p.Steps)+1, "closing")
	collected := e.collect()
	closed := e.close()
	out := Outcome{Result: e.judge(failed), Events: e.log.Events(), spoilt: e.run.Spoilt}
	if e.recorder != nil {
		t, err := e.recorder.Tape(e.headOf())
		out.tape, closed = t, errors.Join(closed, err)
	}
	if err := errors.Join(collected, closed); err != nil {
		out.Result.Verdict, out.Result.Reason = report.Error, err.Error()
	}
	if r.Keep {
		out.Result.Notes = append(out.Result.Notes, "its folder is kept: "+e.work.Dir)
	}
	if e.recorded > 0 {
		out.Result.Notes = append(out.Result.Notes, fmt.Sprintf("%s on files (exec, write, edit), done and judged when the tape was recorded", report.Counted(e.recorded, "step")))
	}
	out.Golden = projection(beforeClosing(e.log.Events(), len(p.Steps)+1), e.run, which.Version, sections(p.Steps, endsSection(p)), e.normalizer())
	return out
}

// playSteps takes the steps in order and lets everything settle after the last.
func (e *Env) playSteps(ctx context.Context) *stepError {
	for i, s := range e.plan.Steps {
		e.begin(i+1, title(s))
		if err := e.take(ctx, s); err != nil {
			e.log.Append("", eventlog.StepFailed{Index: i + 1, Text: err.Error()})
			return &stepError{s, err, e.now()}
		}
	}
	if err := e.settle(ctx); err != nil {
		return &stepError{e.plan.Steps[len(e.plan.Steps)-1], err, e.now()}
	}
	return nil
}

// beforeClosing cuts the log where the run began to close.
func beforeClosing(events []eventlog.Event, closing int) []eventlog.Event {
	for i, ev := range events {
		if b, ok := ev.Body.(eventlog.StepBegan); ok && b.Index == closing {
			return events[:i]
		}
	}
	return events
}

func skipped(p *plan.Plan, err error) report.Result {
	res := blank(p, Codex{Version: p.Codex.Version})
	res.Verdict, res.Reason = report.Skip, err.Error()
	return res
}
