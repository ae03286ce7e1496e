package mockprovider

import (
	"bytes"
	"sync"

	"github.com/heldstream/heldstream/mockprovider/responses"
)

// prepared keeps replies ready to be sent: one that takes nothing from its
// request but ids and model says the same to the next. The zero value is an
// empty store; it is safe for concurrent use.
type prepared struct {
	mu  sync.Mutex
	all map[preparedKey]*readyReply // nil: met once
}

// preparedKey has all that the events of a prepared reply depend on, but ids.
type preparedKey struct {
	reply   *Reply
	class   Class
	inBand  bool
	model   string
	usage   responses.Usage
	counted bool
}

// readyReply is an answer whose events are made from a template. Without one
// the reply has to be written each time.
type readyReply struct {
	answer answer
	events *responses.Template
}

// What is kept is bounded: clients choose their models, and a meter counts on.
const (
	maxPrepared      = 256 // replies
	maxPreparedBytes = 64 << 10
	maxModel         = 100 // bytes of its name
)

// idMark stands for ids.own in a template. It is a character for private use:
// a reply that has it in a text is not prepared.
const idMark = "\uF8D3"

// answer is what the reply says to a request. The second time it is made ready
// for more: most scripts use a reply once.
func (p *prepared) answer(r *Reply, a asked) answer {
	if !a.stream || len(a.model) > maxModel {
		return r.answer(a)
	}
	key := preparedKey{reply: r, class: a.class, inBand: a.inBand, model: a.model, counted: a.usage != nil}
	if a.usage != nil {
		key.usage = *a.usage
	}
	ready, once := p.meet(key)
	if once {
		ready = r.prepare(a)
		p.put(key, ready)
	}
	if ready == nil || ready.events == nil {
		return r.answer(a)
	}
	out := ready.answer
	out.events = ready.events.Events(a.ids.own)
	return out
}

// meet returns what is ready, and whether the reply was met once before.
func (p *prepared) meet(key preparedKey) (ready *readyReply, once bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ready, known := p.all[key]
	if !known && len(p.all) < maxPrepared {
		if p.all == nil {
			p.all = map[preparedKey]*readyReply{}
		}
		p.all[key] = nil
	}
	return ready, known && ready == nil
}

func (p *prepared) put(key preparedKey, ready *readyReply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all[key] = ready
}

// prepare writes the reply with the mark in its ids, if all else in it is the
// same for every request.
func (r *Reply) prepare(a asked) *readyReply {
	same := true
	plain, expand := a, a.expand
	plain.ids = &ids{}
	plain.expand = func(name string) (string, bool) {
		same = false
		return expand(name)
	}
	if out := r.answer(plain); out.plain || !same || !preparable(out.events) {
		return &readyReply{}
	}
	a.ids = &ids{own: idMark}
	a.respID = or(r.ID, a.ids.response())
	out := r.answer(a)
	events := responses.NewTemplate(out.events, idMark)
	out.events = nil
	return &readyReply{out, events}
}

func preparable(events []event) bool {
	size := 0
	for _, e := range events {
		if size += len(e.Data); bytes.Contains(e.Data, []byte(idMark)) {
			return false
		}
	}
	return size <= maxPreparedBytes
}
