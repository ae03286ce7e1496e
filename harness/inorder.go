package harness

import (
	"sync"

	"github.com/heldstream/heldstream/harness/report"
)

// inOrder collects results that come in any order and hands them on in the
// order of the plans.
type inOrder struct {
	mu      sync.Mutex
	results []*report.Result
	next    int
	done    func(report.Result)
}

func newInOrder(results []*report.Result, done func(report.Result)) *inOrder {
	return &inOrder{results: results, done: done}
}

func (o *inOrder) put(i int, r report.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.results[i] = &r
	for o.next < len(o.results) && o.results[o.next] != nil {
		if o.done != nil {
			o.done(*o.results[o.next])
		}
		o.next++
	}
}

// finished returns the results that there are; those behind a gap are handed on
// now.
func (o *inOrder) finished() []report.Result {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []report.Result
	for i, r := range o.results {
		if r == nil {
			continue
		}
		if i >= o.next && o.done != nil {
			o.done(*r)
		}
		all = append(all, *r)
	}
	return all
}
