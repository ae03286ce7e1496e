package harness

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/reading"
	"github.com/heldstream/heldstream/harness/report"
)

// invariants hold in every run unless the scenario switches one off.
var invariants = []struct {
	name, want string
	broken     func(*reading.Run) []string
}{
	{"outside", "nothing asks for an outside host", func(r *reading.Run) []string { return r.Outside }},
	{"unmatched", "each request has a reply", unmatched},
	{"open_rows", "no row is left open after its turn", openRows},
	{"one_end", "each turn ends once", oneEnd},
	{"call_outputs", "each call in a request has one output", breaches("call_outputs")},
	{"frames", "the client's frames are well formed", breaches("frames")},
}

func (e *Env) invariantFailures() []report.Failure {
	var all []report.Failure
	for _, inv := range invariants {
		if !e.plan.InvariantOn(inv.name) {
			continue
		}
		if got := inv.broken(e.run); len(got) > 0 {
			all = append(all, report.Failure{File: e.plan.File, What: "invariant." + inv.name, Want: inv.want, Got: e.inLines(strings.Join(got, "\n"))})
		}
	}
	return all
}

var nearestReply = regexp.MustCompile(`nearest is (reply\[\d+\])`)

// inLines names the nearest reply of the provider's message by its line.
func (e *Env) inLines(text string) string {
	return nearestReply.ReplaceAllStringFunc(text, func(s string) string {
		path := nearestReply.FindStringSubmatch(s)[1]
		return "nearest is " + path + " in " + e.plan.Place(path).Place()
	})
}

func unmatched(r *reading.Run) []string {
	var got []string
	for _, refused := range r.Refused {
		got = append(got, refused.Text)
	}
	return got
}

func breaches(name string) func(*reading.Run) []string {
	return func(r *reading.Run) []string {
		var got []string
		for _, b := range r.Breaches {
			if b.Invariant == name {
				got = append(got, breach(b))
			}
		}
		return got
	}
}

// breach says what the client did wrong, and where that was a request's.
func breach(b eventlog.Breach) string {
	if b.ID == 0 {
		return b.Text
	}
	return fmt.Sprintf("request %d: %s", b.ID, b.Text)
}

// openRows finds tool calls and compactions that the manager left open although
// their turn has ended.
func openRows(r *reading.Run) []string {
	var got []string
	for _, name := range r.Order {
		a := r.Agents[name]
		open := map[string]string{}
		for _, row := range a.Rows {
			switch key := row.Kind + row.Item; {
			case row.Kind != "tool" && row.Kind != "compaction":
			case row.Status == "running":
				open[key] = row.Turn
			default:
				delete(open, key)
			}
		}
		for key, turn := range open {
			if turnEnded(a, turn) {
				got = append(got, fmt.Sprintf("agent %s: %s", name, key))
			}
		}
	}
	slices.Sort(got)
	return got
}

func turnEnded(a *reading.Agent, turn string) bool {
	for _, t := range a.Turns {
		if t.ID == turn && t.Status == "completed" {
			return false // its background commands may run on
		}
		if t.ID == turn && t.Status != "started" {
			return true
		}
	}
	return false
}

func oneEnd(r *reading.Run) []string {
	var got []string
	for _, name := range r.Order {
		ends := map[string]int{}
		for _, t := range r.Agents[name].Turns {
			if t.Status != "started" {
				if ends[t.ID]++; ends[t.ID] == 2 {
					got = append(got, fmt.Sprintf("agent %s: turn %s ended twice", name, t.ID))
				}
			}
		}
	}
	return got
}

// leftovers are finite replies that no request used and gates that were never
// released: either the scenario or the client is not what its author thought, or
// the steps were not played that would have used and released them.
func (e *Env) leftovers(because string) []report.Failure {
	var all []report.Failure
	for _, f := range e.unused {
		pos, want := e.plan.Place(f.Path), "used"
		if f.Path == "gate" { // several replies can name one
			pos, want = plan.Pos{File: e.plan.File}, "released"
		}
		all = append(all, report.Failure{File: pos.File, Line: pos.Line, What: f.Path, Want: want, Got: f.Message, Follows: because})
	}
	return all
}
