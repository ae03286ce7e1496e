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
	name := e.watched(s, a)
	ag, least := e.run.Agent(name), max(1, a.Count)
	for _, c := range []struct {
		asked bool
		holds func() (judge.Answer, string)
	}{
		{a.Held != "", func() (judge.Answer, string) { return e.atGate(a.Held, least) }},
		{a.Reached != "", func() (judge.Answer, string) {
			n := e.reached(a.Reached)
			return met(n >= least), fmt.Sprintf("%d of %d have reached gate %q", n, least, a.Reached)
		}},
		{a.State != "", func() (judge.Answer, string) { return met(inState(ag, a.State)), stateOf(ag) }},
		{a.Requests != nil, func() (judge.Answer, string) {
			return met(enough(ag, a.Requests)), "requests so far: " + or(counts(requestsOf(ag, a.Requests)), "none")
		}},
		{a.Compactions != nil, func() (judge.Answer, string) {
			f := e.judged().Check(plan.Expectation{Key: "compactions", Agent: name, Value: a.Compactions})
			return f.Answer, "compactions so far: " + f.Got
		}},
		{a.Timeline != nil, func() (judge.Answer, string) { return met(e.hasRow(ag, a.Timeline)), "the timeline has no such row" }},
		{a.Permission != "", func() (judge.Answer, string) { return met(len(ag.OpenPermissions()) > 0), "no permission is asked for" }},
	} {
		if !c.asked {
			continue
		}
		if answer, seen := c.holds(); answer != judge.Met {
			return answer, seen
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

// stateOf says what state an agent is in, as far as an await cares.
func stateOf(a *reading.Agent) string {
	s := a.State()
	if s.Queued > 0 {
		return fmt.Sprintf("the state is %s with %d queued", s.Lifecycle, s.Queued)
	}
	return "the state is " + s.Lifecycle
}

func met(ok bool) judge.Answer {
	if ok {
		return judge.Met
	}
	return judge.Unmet
}

// atGate: enough is held at a gate. A command, or a message on the wire, may
// come to its gate before the manager has heard all that came before; so these
// count once everything has settled, or the next step would race with it.
func (e *Env) atGate(gate string, least int) (judge.Answer, string) {
	n := e.held(gate)
	if n >= least && e.run.Gates[gate].Now > 0 {
		if waits := e.run.Unsettled(); waits != "" {
			return judge.Unmet, "gate " + gate + " is reached; still to settle: " + waits
		}
	}
	return met(n >= least), fmt.Sprintf("%d of %d held at gate %q", n, least, gate)
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
	for class, n := range requestsOf(a, want) {
		if n < want[class] {
			return false
		}
	}
	return true
}

// requestsOf counts an agent's requests of the classes that are asked for.
func requestsOf(a *reading.Agent, classes map[string]int) map[string]int {
	have := map[string]int{}
	for class := range classes {
		have[class] = 0
		for _, q := range a.Requests {
			if judge.IsClass(q.Class, class) && q.Try == 1 {
				have[class]++
			}
		}
	}
	return have
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
		for _, x := range a.Expect {
			if f := e.judged().Check(x); f.Answer != judge.Met {
				unmet = append(unmet, fmt.Sprintf("%s: wanted %s, seen %s", x.Key, inLine(f.Want), inLine(f.Got)))
			}
		}
	})
	if len(unmet) > 0 {
		return fmt.Errorf("%s", strings.Join(unmet, "; "))
	}
	return nil
}

// inLine puts a list into one line.
func inLine(list string) string { return strings.ReplaceAll(list, "\n", "; ") }
