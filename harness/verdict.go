package harness

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/harness/judge"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/reading"
	"github.com/heldstream/heldstream/harness/report"
)

// judge makes the result of a run that was played to its end, or to the step
// that failed.
func (e *Env) judge(failed *stepError) report.Result {
	res := blank(e.plan, e.codex)
	e.fill(&res)
	if failed != nil {
		res.Failures = append(res.Failures, e.stepFailure(failed))
	}
	left := e.notPlayed(failed)
	res.NotPlayed = left.text
	res.Failures = append(res.Failures, e.answerFailures(failed != nil)...)
	res.Failures = append(res.Failures, e.expectationFailures(left.because)...)
	res.Failures = append(res.Failures, e.invariantFailures()...)
	res.Failures = append(res.Failures, e.leftovers(left.because)...)
	followersLast(res.Failures)
	if len(res.Failures) > 0 {
		res.Notes = append(res.Notes, e.refusedCalls()...)
	}
	mark(&res, failed, func(agent string) int { return e.rowsThen(failed.at, agent) })
	if res.Verdict = verdict(&res, e.plan.KnownFailure(e.codex.Version)); broken(failed, e.run) {
		res.Verdict, res.Reason = report.Error, e.reason(failed)
	}
	return res
}

// rowsThen is the place in the result's timeline behind an agent's rows of then:
// agents' rows stand one after the other.
func (e *Env) rowsThen(then moment, agent string) int {
	before := 0
	for _, name := range e.run.Order {
		if name == agent {
			return before + then.rows[name]
		}
		before += len(judge.Rows(e.run.Agents[name]))
	}
	return 0
}

// blank is what can be said of a variant before it was played.
func blank(p *plan.Plan, which Codex) report.Result {
	return report.Result{
		Scenario: ScenarioName(p.File), About: p.About, File: p.File, Variant: variant(p.Variant),
		Codex: report.Codex{Mode: which.Mode, Version: which.Version},
	}
}

// broken reports whether the run says nothing about the scenario: its time ran
// out, it was called off, or a component of ours broke its own rules.
func broken(failed *stepError, run *reading.Run) bool {
	return len(run.Troubles) > 0 || failed != nil && !failed.judged()
}

// judged reports whether the failure is one of the scenario, and no end of the
// run from outside.
func (s *stepError) judged() bool {
	return !errors.Is(s.err, errDeadline) && !errors.Is(s.err, errStopped)
}

func (e *Env) reason(failed *stepError) string {
	if len(e.run.Troubles) > 0 {
		return strings.Join(e.run.Troubles, "; ")
	}
	return fmt.Sprintf("%s\n%s: step %d, %s, waits for %s\n%s%s",
		failed.err, failed.step.Pos.Place(), failed.step.Index, title(failed.step), or(failed.at.unsettled, "what does not come"), failed.at.gates(), failed.at.words)
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// verdict compares what failed with what a known failure says must fail.
func verdict(res *report.Result, known *plan.KnownFailure) report.Verdict {
	var failed []string
	for _, f := range res.Failures {
		failed = append(failed, f.What)
	}
	if known == nil {
		if len(failed) > 0 {
			return report.Fail
		}
		return report.Pass
	}
	res.Known = &report.Known{Issue: known.Issue, Fails: known.Fails}
	switch {
	case len(failed) == 0:
		return report.UnexpectedPass
	case sameSet(failed, known.Fails):
		return report.KnownFailure
	}
	return report.Fail
}

func sameSet(x, y []string) bool {
	norm := func(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }
	return slices.Equal(norm(x), norm(y))
}

// stepFailure says what a step could not do. How the gates stand tells why; what
// codex wrote to stderr does only when it is gone.
func (e *Env) stepFailure(failed *stepError) report.Failure {
	s := failed.step
	detail := ""
	if !failed.at.quiet() {
		detail = failed.at.gates()
	}
	if strings.Contains(failed.at.words, "has exited") {
		detail = strings.TrimSpace(detail + failed.at.words)
	}
	return report.Failure{
		File: s.Pos.File, Line: s.Pos.Line, What: fmt.Sprintf("step.%d", s.Index),
		Want: title(s), Got: failed.err.Error(), Detail: detail,
	}
}

// expectationFailures judges [expect]. What steps that were not played could have
// met yet follows from their absence.
func (e *Env) expectationFailures(because string) []report.Failure {
	var all []report.Failure
	for _, x := range e.plan.Expect {
		f := e.judged().Check(x)
		if f.Answer == judge.Met {
			continue
		}
		failure := report.Failure{File: x.Pos.File, Line: x.Pos.Line, What: x.Name(), Want: f.Want, Got: f.Got, Detail: f.Detail}
		if f.Answer == judge.Unmet {
			failure.Follows = because
		}
		all = append(all, failure)
	}
	return all
}

// answerFailures compares what sends and calls gave with what their steps say.
// A step that says nothing takes anything but an error. Of a run that a failed
// step cut short only the answers count that came before.
func (e *Env) answerFailures(cutShort bool) []report.Failure {
	var all []report.Failure
	for _, s := range flatten(e.plan.Steps) {
		for _, got := range e.answersOf(s.Index) {
			if want, ok := gives(s.Gives, got); !ok && !(cutShort && got == noAnswer) {
				all = append(all, report.Failure{
					File: s.Pos.File, Line: s.Pos.Line, What: fmt.Sprintf("step.%d", s.Index%manySteps), Want: want, Got: got,
				})
			}
		}
	}
	return all
}

// flatten returns the steps with those that stand in a together.
func flatten(steps []plan.Step) []plan.Step {
	var all []plan.Step
	for _, s := range steps {
		if t, ok := s.Action.(*plan.Together); ok {
			all = append(all, flatten(inner(s, t))...)
			continue
		}
		all = append(all, s)
	}
	return all
}

const noAnswer = "no answer"

func (e *Env) answersOf(step int) []string {
	var all []string
	for _, s := range e.run.Sends {
		switch {
		case s.Step != step:
		case s.Answer == nil:
			all = append(all, noAnswer)
		case s.Answer.Error != "":
			all = append(all, "error: "+s.Answer.Error)
		default:
			all = append(all, s.Answer.Gives)
		}
	}
	for _, c := range e.run.Calls {
		switch {
		case c.Step != step:
		case c.Answer == nil:
			all = append(all, noAnswer)
		case c.Answer.Error != "":
			all = append(all, "error: "+c.Answer.Error)
		default:
			all = append(all, "ok")
		}
	}
	return all
}

func gives(want *plan.Gives, got string) (string, bool) {
	text, isError := strings.CutPrefix(got, "error: ")
	switch {
	case want == nil:
		return "no error", !isError
	case want.Error != "":
		return fmt.Sprintf("an error that contains %q", want.Error), isError && strings.Contains(text, want.Error)
	}
	return want.What, got == want.What
}

// fill puts in the figures that every report shows.
func (e *Env) fill(res *report.Result) {
	res.Delivered, res.Lost = e.judged().Fates()
	f := e.judged().Figures()
	res.Sends, res.Turns, res.Lifecycle, res.Calls = f.Sends, f.Turns, f.Lifecycle, f.Calls
	res.Requests = map[string]int{}
	for _, name := range e.run.Order {
		a := e.run.Agents[name]
		started, completed, aborted := a.Compactions()
		res.Compactions.Started += started
		res.Compactions.Completed += completed
		res.Compactions.Aborted += aborted
		for _, q := range a.Requests {
			if q.Try == 1 {
				class, _, _ := strings.Cut(q.Class, ".")
				res.Requests[class]++
			}
		}
		for _, row := range judge.Rows(a) {
			res.Timeline = append(res.Timeline, report.Row{Agent: e.shownAgent(name), Text: row.String()})
		}
	}
}

// shownAgent leaves out the name where there is one agent only.
func (e *Env) shownAgent(name string) string {
	if len(e.agents.all()) == 1 {
		return ""
	}
	return name
}
