package codex

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// starting is a turn/start that is on its way, or about to be.
type starting struct {
	call agentcore.CallID
	text *accepted // nil: it has not reached codex yet
	plan bool      // in plan mode
	then []func()  // what waits for the answer
}

// accepted is a text that codex took, or is asked to take.
type accepted struct {
	clientID, text, turn string
	pending              bool // a steer that is not answered yet, or was not answered clearly
	taken                bool // it is in the history
}

var errActive = errors.New("a foreground turn is already active")

func (m *machine) startTurn(id agentcore.CallID, op agentcore.StartTurn) {
	switch cur := m.turns.current(); {
	case m.req.HistoryOnly:
		m.answer(id, nil, errHistoryOnly)
		return
	case m.turns.starting != nil, cur != nil && !cur.manual:
		m.answer(id, nil, errActive)
		return
	}
	m.dismissPlans()
	s := &starting{call: id}
	m.turns.starting = s
	m.prepare(op.Prompt, func(err error) { m.prepared(s, op, err) })
}

// prepared sends the start, if it is still wanted.
func (m *machine) prepared(s *starting, op agentcore.StartTurn, err error) {
	if m.turns.starting != s {
		return
	}
	if cur := m.turns.current(); err == nil && cur != nil && !cur.manual {
		err = errActive // codex has begun one of its own meanwhile
	}
	if err != nil {
		m.notStarted(s, err)
		return
	}
	params := m.turnParams()
	prompt := m.withSkill(op.Prompt)
	if op.Options.OutputSchema != nil {
		params["outputSchema"] = strictSchema(op.Options.OutputSchema)
	}
	s.text, s.plan = m.accept(op.ClientID, prompt, params), m.settings.plan
	m.requestWithin(m.limits.Start, TimerStart, "turn/start", params, func(r reply) { m.turnStartAnswered(s, r) })
}

func (m *machine) notStarted(s *starting, err error) {
	m.turns.starting = nil
	m.answer(s.call, nil, err)
	s.runThen()
}

// accept puts a prompt into a call, and remembers its text as one that codex is
// asked to take.
func (m *machine) accept(clientID string, p agentcore.Prompt, params map[string]any) *accepted {
	params["input"] = inputOf(p)
	if m.quirks.EchoesClientID && clientID != "" {
		params["clientUserMessageId"] = clientID
	}
	a := &accepted{clientID: clientID, text: textOf(p)}
	m.turns.texts = append(m.turns.texts, a)
	return a
}

func (m *machine) forget(a *accepted) {
	m.turns.texts = slices.DeleteFunc(m.turns.texts, func(t *accepted) bool { return t == a })
}

func (m *machine) turnStartAnswered(s *starting, r reply) {
	m.turns.starting = nil
	defer s.runThen()
	var res struct{ Turn struct{ ID string } }
	if r.err == nil {
		if err := json.Unmarshal(r.result, &res); err != nil || res.Turn.ID == "" {
			r.err = fmt.Errorf("turn/start: the answer names no turn: %.200s", r.result)
		}
	}
	if r.err != nil {
		m.forget(s.text)
		m.answer(s.call, nil, staleOr(r.err))
		return
	}
	m.answer(s.call, res.Turn.ID, nil)
	if m.turns.over(res.Turn.ID) {
		m.forget(s.text)
		return
	}
	s.text.turn = res.Turn.ID
	t := m.turns.named(res.Turn.ID)
	t.planned = s.plan
}

func (s *starting) runThen() {
	for _, f := range s.then {
		f()
	}
}

// staleOr tells the error of a thread that codex no longer has from others.
func staleOr(err error) error {
	var e *jsonrpc.Error
	if errors.As(err, &e) && strings.Contains(e.Message, "thread not found") {
		return &agentcore.StaleSession{Message: e.Message}
	}
	return err
}
