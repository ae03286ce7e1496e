package judge

import (
	"fmt"
	"strings"

	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/reading"
)

// requests judges counts by class, or the list of all requests. Attempts of a
// request count only where attempts are asked for, and stand in the list.
func (v view) requests(attempts bool, want *plan.Requests) Finding {
	if want.List != nil {
		return v.requestList(want.List)
	}
	f := Finding{Answer: Met}
	var wanted, got []string
	for _, c := range want.Counts {
		n := v.countClass(c.Class, attempts)
		f.Answer = all(f.Answer, count(&c.Count, n))
		wanted = append(wanted, fmt.Sprintf("%s %d", c.Class, c.Count))
		got = append(got, fmt.Sprintf("%s %d", c.Class, n))
	}
	f.Want, f.Got = strings.Join(wanted, ", "), strings.Join(got, ", ")
	return f
}

func (v view) countClass(class string, attempts bool) int {
	n := 0
	for _, q := range v.requestsInOrder() {
		if IsClass(q.Class, class) && (attempts || q.Try == 1) {
			n++
		}
	}
	return n
}

// IsClass reports whether a class is the wanted one: "compaction" is any form
// of it, "any" is all.
func IsClass(class, want string) bool {
	return class == want || want == "any" || strings.HasPrefix(class, want+".")
}

func (v view) requestList(want []plan.RequestWant) Finding {
	f := Finding{}
	var wanted, got []string
	requests := v.requestsInOrder()
	for i, q := range requests {
		if i >= len(want) {
			f.Answer = Never
			got = append(got, describe(q)+" (one too many)")
			continue
		}
		why := v.differs(want[i], q)
		if why != "" {
			f.Answer = Never
			why = " (" + why + ")"
		}
		got = append(got, describe(q)+why)
	}
	for _, w := range want {
		wanted = append(wanted, wantedRequest(w))
	}
	if f.Answer != Never && len(requests) == len(want) {
		f.Answer = Met
	}
	f.Want, f.Got = listing(wanted), listing(got)
	return f
}

func describe(q *reading.Request) string {
	text := q.Class
	if q.Try > 1 {
		text += fmt.Sprintf(" attempt %d", q.Try)
	}
	return text
}

func wantedRequest(w plan.RequestWant) string {
	text := w.Class
	if text == "" {
		text = "any"
	}
	if w.Attempt > 1 {
		text += fmt.Sprintf(" attempt %d", w.Attempt)
	}
	return text
}

func (v view) largest(want *plan.Largest) Finding {
	most := 0
	for _, q := range v.requestsInOrder() {
		most = max(most, len(q.Payload))
	}
	f := Finding{Answer: Met, Want: fmt.Sprintf("at most %d bytes", want.InputBytes), Got: fmt.Sprintf("%d bytes", most)}
	if most > want.InputBytes {
		f.Answer = Never
	}
	return f
}

func (v view) connections(want *plan.Connections) Finding {
	var each []int
	for _, q := range v.requestsInOrder() {
		for q.Connection > len(each) {
			each = append(each, 0)
		}
		if q.Connection > 0 {
			each[q.Connection-1]++
		}
	}
	if want.Count != nil {
		return Finding{Answer: count(want.Count, len(each)), Want: fmt.Sprint(*want.Count), Got: fmt.Sprint(len(each))}
	}
	f := Finding{Answer: Met, Want: fmt.Sprint(want.Requests), Got: fmt.Sprint(each)}
	if len(each) < len(want.Requests) {
		f.Answer = Unmet
	}
	for i, n := range each {
		if i >= len(want.Requests) {
			f.Answer = Never
			break
		}
		f.Answer = all(f.Answer, count(&want.Requests[i], n))
	}
	return f
}

func (v view) budget(want *plan.Budget) Finding {
	requests, compactions := map[string]int{}, map[string]int{}
	for _, a := range v.agents {
		for _, q := range a.Requests {
			requests[q.Turn]++
		}
		for _, row := range a.Rows {
			if row.Kind == "compaction" && row.Status == "running" {
				compactions[row.Turn]++
			}
		}
	}
	r, c := most(requests), most(compactions)
	f := Finding{
		Answer: Met,
		Want:   "at most a turn: " + budgetParts(want),
		Got:    fmt.Sprintf("requests %d, compactions %d", r, c),
	}
	if want.Requests != nil && r > *want.Requests || want.Compactions != nil && c > *want.Compactions {
		f.Answer = Never
	}
	return f
}

func budgetParts(want *plan.Budget) string {
	var list []string
	if want.Requests != nil {
		list = append(list, fmt.Sprintf("requests %d", *want.Requests))
	}
	if want.Compactions != nil {
		list = append(list, fmt.Sprintf("compactions %d", *want.Compactions))
	}
	return strings.Join(list, ", ")
}

func most(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n = max(n, c)
	}
	return n
}
