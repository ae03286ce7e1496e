package reading

import (
	"fmt"
	"maps"
	"slices"
)

// Held lists what stands at a gate now, for who must find out why a run does
// not go on.
func (r *Run) Held() []string {
	var all []string
	for _, q := range r.open() {
		if q.Gate != "" {
			all = append(all, fmt.Sprintf("gate %q holds request %d (%s of agent %s)", q.Gate, q.ID, q.Class, q.Agent))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Gates)) {
		if n := r.Gates[name].Now; n > 0 {
			all = append(all, fmt.Sprintf("gate %q holds %d of the wire's messages or tools' commands", name, n))
		}
	}
	return all
}

// InFlight lists what is under way and held by nobody.
func (r *Run) InFlight() []string {
	var all []string
	for _, q := range r.open() {
		if q.Gate == "" {
			all = append(all, fmt.Sprintf("agent %s: request %d (%s), whose answer is being sent", q.Agent, q.ID, q.Class))
		}
	}
	for _, name := range r.Order {
		for _, what := range r.Agents[name].inFlightNow() {
			all = append(all, fmt.Sprintf("agent %s: %s", name, what))
		}
	}
	return all
}

// open are the requests that are neither answered nor left, by their numbers.
func (r *Run) open() []*Request {
	var all []*Request
	for _, id := range slices.Sorted(maps.Keys(r.Requests)) {
		if q := r.Requests[id]; q.Open() {
			all = append(all, q)
		}
	}
	return all
}

func (a *Agent) inFlightNow() []string {
	var all []string
	for _, c := range a.calls {
		all = append(all, c.method+", which codex has not answered")
	}
	for d := range a.owed {
		all = append(all, d.what+", which codex has not told")
	}
	for _, q := range a.asks {
		if !q.answered {
			all = append(all, "codex's question "+q.method+", which nobody has answered")
		}
	}
	for _, th := range a.Threads {
		if t := th.busy; t != nil {
			all = append(all, fmt.Sprintf("turn %d, which runs", t.Number))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
