package agentcore

import (
	"strings"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// cutRun ends what runs because its session is taken away.
func (m *Machine) cutRun(reason string) {
	m.cancelBackground()
	r := m.run
	if r == nil {
		return
	}
	m.run = nil
	if r.phase == runStarting {
		if r.foreground {
			m.fail(r.text, saying("Agent %s run was canceled before its turn started", m.id))
		}
		return
	}
	ended := TurnEnded{Turn: r.turn, Status: TurnInterrupted, Error: reason}
	m.closeItems(ended)
	m.done.add(r.turn)
	if m.closing == nil { // a close tells its one state later
		m.setLifecycle(Idle)
		m.emit()
	}
	m.publish(Streamed{m.id, ended})
	m.collected(r, ended)
}

// turnEnded ends a turn: rows first, then the state, then the event itself,
// then those who waited for it.
func (m *Machine) turnEnded(e TurnEnded) {
	r := m.run
	if e.Turn == "" && r != nil {
		e.Turn = r.turn
	}
	if m.done.has(e.Turn) {
		m.losses(e)
		m.forgetTurn(e.Turn)
		return
	}
	m.flushEnded(e)
	current := r != nil && (r.turn == e.Turn || !r.foreground && (r.turn == "" || e.Turn == ""))
	m.closeItems(e)
	m.losses(e)
	if !current && r != nil {
		m.done.add(e.Turn)
		m.publish(Streamed{m.id, e})
		return
	}
	m.run = nil
	m.done.add(e.Turn)
	if e.Usage != nil {
		m.agent.Usage = e.Usage
	}
	m.endState(e)
	m.publish(Streamed{m.id, e})
	if r != nil {
		m.collected(r, e)
	}
	if !e.presumed {
		m.forgetTurn(e.Turn)
	}
}

// endState brings the agent out of a turn.
func (m *Machine) endState(e TurnEnded) {
	if e.Status == TurnFailed {
		m.failState(e)
		return
	}
	m.agent.LastError = ""
	if e.Status == TurnInterrupted {
		m.denyAll("Interrupted")
	}
	m.setLifecycle(Idle)
	m.emit()
}

// failState shows a failure: an error row unless the last row says the same.
func (m *Machine) failState(e TurnEnded) {
	text := turnText(e)
	m.agent.LastError = text
	if m.rows.last.Kind != timeline.Error || m.rows.last.Text != text {
		m.record(e.Turn, Item{Kind: timeline.Error, Text: text})
	}
	m.denyAll("Turn failed")
	m.setLifecycle(Failed)
	if m.planted(FaultLostQueued) && len(m.queue) > 0 {
		m.unqueue(m.queue[0])
	}
	m.emit()
}

// turnFailed shows the failure of a turn that never was.
func (m *Machine) turnFailed(e TurnEnded) {
	m.flush()
	m.failState(e)
	m.publish(Streamed{m.id, e})
}

func (m *Machine) losses(e TurnEnded) {
	for _, id := range e.Dropped {
		m.lost(id)
	}
}

// collected answers those who waited for the turn.
func (m *Machine) collected(r *run, e TurnEnded) {
	for _, c := range r.collect {
		if e.Status == TurnFailed {
			m.reply(c.req, nil, saying("%s", turnText(e)))
			continue
		}
		m.replyDurable(Reply{Req: c.req, Result: RunResult{
			SendResult: c.result, Status: e.Status, FinalText: finalText(r.items), Items: r.items, Usage: m.agent.Usage,
		}})
	}
}

// finalText is the last group of adjacent assistant items.
func finalText(items []Item) string {
	from := len(items)
	for from > 0 && items[from-1].Kind != timeline.Assistant {
		from--
	}
	to := from
	for from > 0 && items[from-1].Kind == timeline.Assistant {
		from--
	}
	return joined(items[from:to])
}

// divider stands between the messages of one text, as markdown has it.
const divider = "\n\n---\n\n"

// joined is the text of pieces; those of one message are one text.
func joined(items []Item) string {
	var b strings.Builder
	for i, item := range items {
		if i > 0 && item.ID != items[i-1].ID && item.ID != "" && items[i-1].ID != "" {
			b.WriteString(divider)
		}
		b.WriteString(item.Text)
	}
	return b.String()
}
