package harness

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/judge"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/reading"
)

// stepAwait waits until all that it names holds. An agent that is awaited idle
// leaves everything settled.
func (e *Env) stepAwait(ctx context.Context, s plan.Step, a *plan.Await) error {
	ctx, cancel := within(ctx, a.Within)
	defer cancel()
	if err := e.await(ctx, func() (judge.Answer, string) { return e.awaited(s, a) }); err != nil {
		return err
	}
	if settles(s) {
		return e.settle(ctx)
	}
	return nil
}

func (e *Env) awaited(s plan.Step, a *plan.Await) (judge.Answer, string) {
	ag := e.run.Agent(e.watched(s, a))
	least := max(1, a.Count)
	subject := e.judged()
	for _, c := range []struct {
		asked bool
		holds func() judge.Answer
		miss  string
	}{
		{a.Held != "", func() judge.Answer { return met(e.held(a.Held) >= least) }, fmt.Sprintf("%d held at %q", least, a.Held)},
		{a.Reached != "", func() judge.Answer { return met(e.reached(a.Reached) >= least) }, fmt.Sprintf("%d have reached %q", least, a.Reached)},
		{a.State != "", func() judge.Answer { return met(inState(ag, a.State)) }, "state " + a.State + ", it is " + ag.State().Lifecycle},
		{a.Requests != nil, func() judge.Answer { return met(enough(ag, a.Requests)) }, "requests " + counts(a.Requests)},
		{a.Compactions != nil, func() judge.Answer {
			return subject.Check(plan.Expectation{Key: "compactions", Agent: e.watched(s, a), Value: a.Compactions}).Answer
		}, "compactions"},
		{a.Timeline != nil, func() judge.Answer { return met(e.hasRow(ag, a.Timeline)) }, "a row of the timeline"},
		{a.Permission != "", func() judge.Answer { return met(len(ag.OpenPermissions()) > 0) }, "a permission request"},
	} {
		if !c.asked {
			continue
		}
		if answer := c.holds(); answer != judge.Met {
			return answer, c.miss
		}
	}
	return judge.Met, ""
}

// watched is the agent that an await is about.
func (e *Env) watched(s plan.Step, a *plan.Await) string {
	name := or(a.Agent, s.Agent)
	if e.agent(name) == nil { // of a gate, which is nobody's
		return e.agents.all()[0].name
	}
	return name
}

func met(ok bool) judge.Answer {
	if ok {
		return judge.Met
	}
	return judge.Unmet
}

// held counts what stands at a gate now, reached what ever stood there.
func (e *Env) held(gate string) int {
	n := e.run.Gates[gate].Now
	for _, q := range e.run.Requests {
		if q.Open() && q.Gate == gate {
			n++
		}
	}
	return n
}

func (e *Env) reached(gate string) int {
	n := e.run.Gates[gate].Ever
	for _, q := range e.run.Requests {
		for _, g := range append(q.Passed, q.Gate, q.Left) {
			if g == gate {
				n++
			}
		}
	}
	return n
}

// inState: idle is only an agent with nothing queued.
func inState(a *reading.Agent, want string) bool {
	s := a.State()
	return s.Lifecycle == want && (want != "idle" || s.Queued == 0)
}

func enough(a *reading.Agent, want map[string]int) bool {
	for class, n := range want {
		have := 0
		for _, q := range a.Requests {
			if judge.IsClass(q.Class, class) && q.Try == 1 {
				have++
			}
		}
		if have < n {
			return false
		}
	}
	return true
}

func (e *Env) hasRow(a *reading.Agent, want *plan.Row) bool {
	for _, row := range a.Rows {
		if e.judged().MatchRow(*want, row) {
			return true
		}
	}
	return false
}

// awaited names what an await waits for, for titles.
func awaited(a *plan.Await) string {
	var parts []string
	add := func(key, value string) {
		if value != "" {
			parts = append(parts, key+" "+value)
		}
	}
	add("held", a.Held)
	add("reached", a.Reached)
	add("state", a.State)
	add("requests", counts(a.Requests))
	if a.Compactions != nil {
		parts = append(parts, "compactions")
	}
	if a.Timeline != nil {
		parts = append(parts, "row "+a.Timeline.AsInFile)
	}
	add("permission", a.Permission)
	return strings.Join(parts, ", ")
}

func counts(m map[string]int) string {
	var parts []string
	for class, n := range m {
		parts = append(parts, fmt.Sprintf("%s=%d", class, n))
	}
	sort.Strings(parts)
	return strings.Join(parts, " ")
}

// stepExpect judges expectations here and now.
func (e *Env) stepExpect(a *plan.ExpectNow) error {
	var unmet []string
	e.log.View(func([]eventlog.Event) {
		subject := e.judged()
		for _, x := range a.Expect {
			if f := subject.Check(x); f.Answer != judge.Met {
				unmet = append(unmet, fmt.Sprintf("%s: wanted %s, got %s", x.Key, f.Want, f.Got))
			}
		}
	})
	if len(unmet) > 0 {
		return fmt.Errorf("%s", strings.Join(unmet, "; "))
	}
	return nil
}
