package codex

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

func unavailable(reason, format string, args ...any) *agentcore.Unavailable {
	return &agentcore.Unavailable{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// steer adds to the running turn. It waits for a turn that codex has answered
// and not yet announced, instead of being refused.
func (m *machine) steer(id agentcore.CallID, op agentcore.SteerTurn) {
	if strings.HasPrefix(strings.TrimSpace(op.Prompt.Text), "/") {
		m.answer(id, nil, unavailable("slash_command", "a slash command cannot be steered into a turn"))
		return
	}
	t := m.turns.current()
	switch s := m.turns.starting; {
	case t == nil && s != nil:
		s.then = append(s.then, func() { m.steer(id, op) })
	case t == nil:
		m.answer(id, nil, unavailable("no_turn", "no active turn to steer"))
	case op.Turn != "" && op.Turn != t.id:
		m.answer(id, nil, unavailable("id_mismatch", "expected active turn id `%s` but found `%s`", op.Turn, t.id))
	case t.manual && m.quirks.SwallowsCompactSteer:
		m.answer(id, nil, &agentcore.Unavailable{Reason: "not_steerable", Kind: "compact", Message: "cannot steer a compact turn"})
	default:
		m.whenAnnounced(t, func(ok bool) {
			if !ok {
				m.answer(id, nil, unavailable("not_identified", "turn %s was never announced", t.id))
				return
			}
			m.sendSteer(id, op, t)
		})
	}
}

func (m *machine) sendSteer(id agentcore.CallID, op agentcore.SteerTurn, t *turn) {
	params := map[string]any{"threadId": m.thread, "expectedTurnId": t.id}
	text := m.accept(op.ClientID, op.Prompt, params)
	text.turn, text.pending = t.id, true
	m.requestWithin(m.limits.Start, TimerStart, "turn/steer", params, func(r reply) {
		err := steerError(r, t.id)
		if err == nil && !text.taken && m.turns.over(t.id) {
			err = unavailable("no_turn", "turn %s ended before it took the text", t.id)
		}
		if err != nil {
			// Where the answer leaves it open, the text stays known: codex may
			// still show that it took it.
			if u := new(agentcore.Unavailable); errors.As(err, &u) {
				m.forget(text)
			}
			m.answer(id, nil, err)
			return
		}
		text.pending = false
		if op.ClearPermissions {
			m.denyAsks()
		}
		m.answer(id, t.id, nil)
	})
}

// steerError reads the reply to a steer: nil when it was accepted,
// Unavailable when it surely was not, and anything else leaves it open.
func steerError(r reply, turn string) error {
	if r.err != nil {
		if u := definite(r.err); u != nil {
			return u
		}
		return r.err
	}
	var ack struct {
		TurnID string
		Turn   struct{ ID string }
	}
	if err := json.Unmarshal(r.result, &ack); err != nil || ack.TurnID != turn && ack.Turn.ID != turn {
		return fmt.Errorf("invalid steer acknowledgement: %.200s", r.result)
	}
	return nil
}

// definite tells the refusals that leave no doubt.
func definite(err error) *agentcore.Unavailable {
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		return nil
	}
	var data struct {
		CodexErrorInfo struct {
			ActiveTurnNotSteerable *struct{ TurnKind string }
		}
	}
	_ = json.Unmarshal(e.Data, &data) // other shapes of codexErrorInfo leave it nil
	info := data.CodexErrorInfo.ActiveTurnNotSteerable
	switch {
	case e.Code == jsonrpc.MethodNotFound:
		return &agentcore.Unavailable{Reason: "unsupported", Message: e.Message}
	case e.Code == jsonrpc.InvalidRequest && info != nil:
		return &agentcore.Unavailable{Reason: "not_steerable", Kind: info.TurnKind, Message: e.Message}
	case e.Message == "no active turn to steer":
		return &agentcore.Unavailable{Reason: "no_turn", Message: e.Message}
	case strings.HasPrefix(e.Message, "expected active turn id `") && strings.Contains(e.Message, "` but found `"):
		return &agentcore.Unavailable{Reason: "id_mismatch", Message: e.Message}
	case e.Message == "active turn uses a different output schema":
		return &agentcore.Unavailable{Reason: "not_steerable", Kind: "schema", Message: e.Message}
	}
	return nil
}

// interrupt ends whatever runs or starts; it succeeds when nothing does.
func (m *machine) interrupt(id agentcore.CallID) {
	m.dropWaitingStart()
	if s := m.turns.starting; s != nil {
		s.then = append(s.then, func() { m.interrupt(id) })
		return
	}
	if t := m.turns.current(); t != nil && m.phase == up {
		m.interruptTurn(id, t)
		return
	}
	m.answer(id, nil, nil)
}

var errInterrupted = errors.New("codex turn start was interrupted before reaching Codex")

// dropWaitingStart takes back a start that has not reached codex.
func (m *machine) dropWaitingStart() {
	if s := m.turns.starting; s != nil && s.text == nil {
		m.notStarted(s, errInterrupted)
	}
	for i, c := range m.waiting {
		if _, ok := c.Op.(agentcore.StartTurn); ok {
			m.waiting = append(m.waiting[:i:i], m.waiting[i+1:]...)
			m.answer(c.ID, nil, errInterrupted)
			return
		}
	}
}

func (m *machine) interruptTurn(id agentcore.CallID, t *turn) {
	if t.interrupt != nil { // one on the wire is enough
		t.interrupt = append(t.interrupt, id)
		return
	}
	m.whenAnnounced(t, func(ok bool) {
		if !ok {
			m.answer(id, nil, nil) // it ended, or never was
			return
		}
		if t.interrupt != nil {
			t.interrupt = append(t.interrupt, id)
			return
		}
		t.interrupt = []agentcore.CallID{id}
		params := map[string]any{"threadId": m.thread, "turnId": t.id}
		m.requestWithin(m.limits.Interrupt, TimerInterrupt, "turn/interrupt", params, func(r reply) {
			m.interruptAnswered(t, r)
		})
	})
}

func (m *machine) interruptAnswered(t *turn, r reply) {
	var late *timeout
	if errors.As(r.err, &late) {
		// The end of the turn is told with the process's exit, and with it the
		// callers are answered.
		m.killed = true
		m.do(killEffect{})
		return
	}
	calls := t.interrupt
	t.interrupt = nil
	err := r.err
	var e *jsonrpc.Error
	var l *lost
	if errors.As(err, &e) && e.Message == "no active turn to interrupt" || errors.As(err, &l) {
		err = nil // nothing runs any more, which is what was asked
	}
	if err == nil {
		t.left = true
	}
	for _, id := range calls {
		m.answer(id, nil, err)
	}
}
