package codex

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/heldstream/heldstream/agentcore"
)

// takeCall begins a call of the manager. One that needs a process waits for
// it, and starts it when it is down.
func (m *machine) takeCall(c agentcore.Call) {
	switch op := c.Op.(type) {
	case agentcore.CloseSession:
		m.close(c.ID)
		return
	case agentcore.Set:
		notice, err := m.set(op)
		m.answer(c.ID, notice, err)
		return
	case agentcore.InterruptTurn:
		if m.phase != gone {
			m.interrupt(c.ID)
			return
		}
	}
	switch m.phase {
	case gone, closing:
		m.answer(c.ID, nil, errClosed)
	case down:
		m.waiting = append(m.waiting, c)
		m.rise()
	case rising:
		m.waiting = append(m.waiting, c)
	case up:
		m.begin(c)
	}
}

func (m *machine) begin(c agentcore.Call) {
	switch op := c.Op.(type) {
	case agentcore.StartTurn:
		m.startTurn(c.ID, op)
	case agentcore.SteerTurn:
		m.steer(c.ID, op)
	case agentcore.Compact:
		m.compact(c.ID)
	case agentcore.Command:
		m.command(c.ID, op)
	case agentcore.Respond:
		value, err := m.respond(op)
		m.answer(c.ID, value, err)
	case agentcore.ReadHistory:
		m.readHistory(c.ID)
	case agentcore.Fork:
		m.fork(c.ID)
	case agentcore.Raw:
		m.raw(c.ID, op)
	default:
		m.answer(c.ID, nil, fmt.Errorf("codex: unknown operation %T", op))
	}
}

var errHistoryOnly = errors.New("this session was opened to read its history only")

func (m *machine) compact(id agentcore.CallID) {
	if m.req.HistoryOnly {
		m.answer(id, nil, errHistoryOnly)
		return
	}
	m.turns.manual++
	m.request("thread/compact/start", map[string]any{"threadId": m.thread}, func(r reply) {
		if r.err != nil {
			m.turns.manual--
		}
		m.answer(id, nil, r.err)
	})
}

func (m *machine) fork(id agentcore.CallID) {
	m.requestWithin(m.limits.Start, TimerStart, "thread/fork", map[string]any{"threadId": m.thread}, func(r reply) {
		var res struct{ Thread struct{ ID string } }
		if r.err == nil {
			r.err = json.Unmarshal(r.result, &res)
		}
		if r.err != nil {
			m.answer(id, nil, r.err)
			return
		}
		m.children.ours(res.Thread.ID)
		m.answer(id, agentcore.Handle{Provider: m.req.Config.Provider, SessionID: res.Thread.ID}, nil)
	})
}

// raw passes a call on as it is.
func (m *machine) raw(id agentcore.CallID, op agentcore.Raw) {
	m.request(op.Method, op.Params, func(r reply) {
		if r.err != nil {
			m.answer(id, nil, r.err)
			return
		}
		var v any
		_ = json.Unmarshal(r.result, &v)
		m.answer(id, v, nil)
	})
}

// close ends the session. What codex still asks is answered with a cancel.
func (m *machine) close(id agentcore.CallID) {
	switch m.phase {
	case gone:
		m.answer(id, nil, nil)
	case closing:
		if m.closeCall == nil {
			m.closeCall = &id
		} else {
			m.answer(id, nil, nil)
		}
	case down:
		m.closeCall = &id
		m.finish(nil, "")
	default:
		m.closeCall = &id
		m.cancelAsks()
		m.phase = closing
		m.do(closeEffect{})
	}
}
