package mockprovider

import (
	"sync"

	"github.com/tidwall/gjson"
)

// past is the conversation that a response id stands for.
type past struct {
	items []item
	texts []string // of its user items
	size  int      // bytes of the items
}

// pasts is the store of a connection: what previous_response_id may name.
type pasts map[string]*past

// maxPasts responses are remembered on one connection.
const maxPasts = 32

// pastsMu: lanes of one connection share its store. One lock for all stores
// is enough, as it is held for a map access.
var pastsMu sync.Mutex

func (p pasts) get(id string) *past {
	pastsMu.Lock()
	defer pastsMu.Unlock()
	return p[id]
}

// forget drops what a failed request built on, as the real API does.
func (p pasts) forget(q *request) {
	pastsMu.Lock()
	defer pastsMu.Unlock()
	delete(p, q.previous)
}

// learn keeps a completed response.
func (p pasts) learn(q *request, t *taken) {
	pastsMu.Lock()
	defer pastsMu.Unlock()
	if len(p) >= maxPasts {
		clear(p)
	}
	next := &past{}
	if q.past != nil {
		next.items = append(next.items, q.past.items...)
	}
	next.items = append(append(next.items, q.items...), t.a.items()...)
	for _, it := range next.items {
		next.size += len(it.raw.Raw)
	}
	next.texts = t.x.history
	p[t.x.respID] = next
}

// items are the output items that an answer has sent.
func (a *answer) items() []item {
	var items []item
	for _, e := range a.events {
		if e.Type == "response.output_item.done" {
			items = append(items, newItem(gjson.GetBytes(e.Data, "item")))
		}
	}
	return items
}
