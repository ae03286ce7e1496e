package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/report"
)

// rowPlaces finds the event of each row of a result's timeline; 0 where there is
// none.
func rowPlaces(v Variant) []int {
	found := make([]int, len(v.Result.Timeline))
	used := map[int]bool{}
	for i, row := range v.Result.Timeline {
		for _, e := range v.Events {
			b, ok := e.Body.(eventlog.Row)
			if ok && !used[e.Seq] && b.String() == row.Text && (row.Agent == "" || row.Agent == e.Agent) {
				found[i], used[e.Seq] = e.Seq, true
				break
			}
		}
	}
	return found
}

// evidence says which events an expectation is judged by.
var evidence = map[string]func(eventlog.Body) bool{
	"compactions": func(b eventlog.Body) bool { r, ok := b.(eventlog.Row); return ok && r.Kind == "compaction" },
	"requests":    is[eventlog.Request],
	"attempts":    is[eventlog.Request],
	"largest":     is[eventlog.Request],
	"budget":      is[eventlog.Request],
	"connections": is[eventlog.Request],
	"calls":       is[eventlog.ToCodex],
	"turns":       is[eventlog.Turn],
	"lifecycle":   is[eventlog.State],
	"errors":      is[eventlog.Notice],
	"permissions": is[eventlog.Permission],
	"usage":       func(b eventlog.Body) bool { t, ok := b.(eventlog.Turn); return ok && t.Status == "completed" },
	"rollout":     is[eventlog.Rollout],
	"sends":       is[eventlog.SendAnswered],

	"invariant.outside":      is[eventlog.Outside],
	"invariant.unmatched":    is[eventlog.Refused],
	"invariant.call_outputs": func(b eventlog.Body) bool { x, ok := b.(eventlog.Breach); return ok && x.Invariant == "call_outputs" },
	"invariant.frames":       func(b eventlog.Body) bool { x, ok := b.(eventlog.Breach); return ok && x.Invariant == "frames" },
	"invariant.open_rows":    func(b eventlog.Body) bool { r, ok := b.(eventlog.Row); return ok && r.Status == "running" },
	"invariant.one_end":      func(b eventlog.Body) bool { t, ok := b.(eventlog.Turn); return ok && t.Status != "started" },
}

func is[T eventlog.Body](b eventlog.Body) bool { _, ok := b.(T); return ok }

const maxPlaces = 40

// places finds the events that a failure is about: the rows that carry its
// mark, or where what was seen parts from what was wanted, or what it is judged
// by.
func places(f report.Failure, v Variant) []int {
	agent, name := splitName(f.What)
	found := marked(f, v)
	if len(found) == 0 {
		found = collect(v, agent, matcher(name, f))
	}
	if len(found) == 0 && name == "delivered" {
		found = collect(v, agent, evidence["requests"])
	}
	return found[:min(len(found), maxPlaces)]
}

// splitName takes the agent off: agent.NAME.what.
func splitName(what string) (agent, name string) {
	rest, ok := strings.CutPrefix(what, "agent.")
	if i := strings.LastIndexByte(rest, '.'); ok && i >= 0 {
		return rest[:i], rest[i+1:]
	}
	return "", what
}

func marked(f report.Failure, v Variant) []int {
	found := []int{}
	for i, seq := range rowPlaces(v) {
		if v.Result.Timeline[i].Mark == f.What && seq != 0 {
			found = append(found, seq)
		}
	}
	return found
}

func collect(v Variant, agent string, match func(eventlog.Body) bool) []int {
	found := []int{}
	for _, e := range v.Events {
		if (agent == "" || agent == e.Agent) && match(e.Body) {
			found = append(found, e.Seq)
		}
	}
	return found
}

func matcher(name string, f report.Failure) func(eventlog.Body) bool {
	switch name {
	case "delivered", "lost":
		return sentOneOf(unequal(f))
	case "timeline":
		return firstStray(f)
	}
	if match := evidence[name]; match != nil {
		return match
	}
	return ofStep(name)
}

func sentOneOf(texts []string) func(eventlog.Body) bool {
	return func(b eventlog.Body) bool {
		s, ok := b.(eventlog.SendBegan)
		return ok && slices.Contains(texts, report.Visible(s.Text))
	}
}

// firstStray matches the row at which a timeline leaves what was wanted, counted
// among rows of equal text.
func firstStray(f report.Failure) func(eventlog.Body) bool {
	want, got := lines(f.Want), lines(f.Got)
	i := 0
	for i < len(got) && i < len(want) && want[i] == got[i] {
		i++
	}
	if i == len(got) {
		return func(eventlog.Body) bool { return false }
	}
	ahead := 0
	for _, line := range got[:i] {
		if line == got[i] {
			ahead++
		}
	}
	return func(b eventlog.Body) bool {
		r, ok := b.(eventlog.Row)
		if !ok || report.Visible(r.String()) != got[i] {
			return false
		}
		ahead--
		return ahead == -1
	}
}

// unequal lists what only one of the two lists has.
func unequal(f report.Failure) []string {
	want, got := lines(f.Want), lines(f.Got)
	var list []string
	for _, w := range want {
		if !slices.Contains(got, w) {
			list = append(list, w)
		}
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			list = append(list, g)
		}
	}
	return list
}

// lines are the entries of a list in a failure. Some writers of failures escape
// what is invisible and others leave it to the reports.
func lines(list string) []string {
	all := strings.Split(list, "\n")
	for i := range all {
		all[i] = report.Visible(all[i])
	}
	return all
}

// ofStep matches the failure of a step, named step.N.
func ofStep(name string) func(eventlog.Body) bool {
	return func(b eventlog.Body) bool {
		switch b := b.(type) {
		case eventlog.StepBegan:
			return name == fmt.Sprintf("step.%d", b.Index)
		case eventlog.StepFailed:
			return name == fmt.Sprintf("step.%d", b.Index)
		}
		return false
	}
}
