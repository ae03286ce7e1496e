package harness

import (
	"slices"
	"sync"
)

// roster are the agents of a run, in the order in which they came. A tool of the
// manager can add one while others run.
type roster struct {
	mu   sync.Mutex
	list []*agent
}

// add makes an agent from its number, from 1, and lets it in.
func (r *roster) add(a *agent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a.number = len(r.list) + 1
	a.id = agentID(a.number)
	r.list = append(r.list, a)
}

func (r *roster) all() []*agent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// find returns the first agent that is wanted, or nil.
func (r *roster) find(wanted func(*agent) bool) *agent {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.IndexFunc(r.list, wanted); i >= 0 {
		return r.list[i]
	}
	return nil
}
