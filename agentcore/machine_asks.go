package agentcore

import (
	"slices"
)

// permissions are the questions that the session waits for.
type permissions struct {
	pending  []PermissionRequest // never changed in place: snapshots share it
	turns    []string            // of each
	replying []string            // ids whose answer is under way
	resolved []PermissionResolved
}

func (p *permissions) any() bool                 { return len(p.pending) > 0 }
func (p *permissions) list() []PermissionRequest { return p.pending }

func (p *permissions) find(id string) int {
	return slices.IndexFunc(p.pending, func(r PermissionRequest) bool { return r.ID == id })
}

// answering reports whether our own answer is under way.
func (p *permissions) answering(id string) bool { return slices.Contains(p.replying, id) }

func (p *permissions) replace(reqs []PermissionRequest) {
	p.pending, p.turns = slices.Clone(reqs), make([]string, len(reqs))
}

func (p *permissions) add(turn string, r PermissionRequest) {
	if i := p.find(r.ID); i >= 0 {
		p.remove(r.ID)
	}
	p.pending = append(slices.Clip(p.pending), r)
	p.turns = append(p.turns, turn)
}

func (p *permissions) remove(id string) bool {
	i := p.find(id)
	if i < 0 {
		return false
	}
	p.pending = slices.Delete(slices.Clone(p.pending), i, i+1)
	p.turns = slices.Delete(p.turns, i, i+1)
	return true
}

func (m *Machine) permissionRequested(e PermissionRequested) {
	m.flush()
	e.Turn = m.turnOr(e.Turn)
	if !m.asks.any() {
		m.raise("permission")
	}
	m.asks.add(e.Turn, e.Request)
	m.emit()
	m.publish(Streamed{m.id, e})
}

// permissionResolved: while our own answer is under way the event waits, so
// that the state goes before it.
func (m *Machine) permissionResolved(e PermissionResolved) {
	if m.asks.answering(e.Request) {
		m.asks.resolved = append(m.asks.resolved, e)
		return
	}
	if !m.asks.remove(e.Request) {
		return
	}
	m.emit()
	m.publish(Streamed{m.id, e})
}

func (m *Machine) respond(req ReqID, r RespondRequest) {
	switch {
	case m.asks.answering(r.Permission):
		m.reply(req, nil, saying("A response to this permission request is already being submitted"))
	case m.asks.find(r.Permission) < 0:
		m.reply(req, nil, saying("Permission request '%s' is not pending", r.Permission))
	case m.sess.phase != sessionReady:
		m.reply(req, nil, errNoSession(m.id))
	default:
		m.asks.replying = append(m.asks.replying, r.Permission)
		m.call(pendingCall{kind: callRespond, req: req, op: Respond{r.Permission, r.Response}})
	}
}

func (m *Machine) responded(c pendingCall, a Answer) {
	asked := c.op.(Respond)
	m.asks.replying = slices.DeleteFunc(m.asks.replying, func(id string) bool { return id == asked.Request })
	var mine, others []PermissionResolved
	for _, e := range m.asks.resolved {
		if e.Request == asked.Request {
			mine = append(mine, e)
		} else {
			others = append(others, e)
		}
	}
	m.asks.resolved = others
	if a.Err != nil {
		m.reply(c.req, nil, a.Err)
		for _, e := range mine {
			m.permissionResolved(e)
		}
		return
	}
	m.asks.remove(asked.Request)
	m.emit()
	for _, e := range mine {
		m.publish(Streamed{m.id, e})
	}
	m.save(Reply{Req: c.req})
}

// denyAll: nobody waits for an answer any more.
func (m *Machine) denyAll(why string) {
	pending, turns := m.asks.pending, m.asks.turns
	m.asks.replace(nil)
	for i, r := range pending {
		if m.asks.answering(r.ID) {
			continue // its resolution follows the answer
		}
		m.publish(Streamed{m.id, PermissionResolved{
			Turn: turns[i], Request: r.ID, Response: PermissionResponse{Message: why}, Canceled: true,
		}})
	}
}
