package agentcore

import (
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// intake decides what becomes of an event: now, or when the steer or the start
// that is under way is through. Answers are never held.
func (m *Machine) intake(e Event) {
	switch e := e.(type) {
	case Opened:
		m.sessionOpened(e)
		return
	case Answer:
		m.answered(e)
		return
	case Exited:
		m.sessionExited(e)
		return
	case PermissionResolved:
		if m.asks.answering(e.Request) {
			m.permissionResolved(e)
			return
		}
	}
	switch {
	case m.sess.phase == sessionOpening:
		m.nonsense("it spoke before it was open")
	case m.barrier:
		m.held = append(m.held, e)
	case m.starting() && m.run.foreground:
		m.run.staged = append(m.run.staged, e)
	default:
		m.handle(e)
	}
}

func (m *Machine) handle(e Event) {
	switch e := e.(type) {
	case TurnStarted:
		m.turnStarted(e)
	case TurnEnded:
		m.turnEnded(e)
	case ItemUpdated:
		m.itemUpdated(e)
	case Taken:
		m.taken(e.ClientID, e.ItemID)
	case UsageUpdated:
		usage := e.Usage
		m.agent.Usage = &usage
		m.emit()
		m.publish(Streamed{m.id, e})
	case PermissionRequested:
		m.permissionRequested(e)
	case PermissionResolved:
		m.permissionResolved(e)
	case SettingChanged:
		m.drifted(e)
	case Notice:
		m.flush()
		m.publish(Streamed{m.id, e})
	default:
		m.nonsense("an event of no known kind")
	}
}

func (m *Machine) turnOr(turn string) string {
	if turn == "" && m.run != nil {
		return m.run.turn
	}
	return turn
}

func (m *Machine) itemUpdated(e ItemUpdated) {
	turn, item := m.turnOr(e.Turn), e.Item
	late := m.done.has(turn)
	runs := item.Status == timeline.Running
	if late && (runs || item.Status == timeline.Canceled) && m.open.toolAt(turn, item.ID) < 0 {
		return // nothing would ever close it, or it was canceled with its turn
	}
	switch item.Kind {
	case timeline.Assistant, timeline.Thought, timeline.Tool:
		m.coalesce(turn, item)
		if late && !runs {
			m.flush()
		}
		return
	}
	m.flush()
	switch item.Kind {
	case timeline.User:
		m.userItem(turn, item)
	case timeline.Compaction:
		m.compaction(turn, item)
	case timeline.Error, timeline.Todo:
		m.record(turn, item)
	default:
		m.nonsense("an item of kind '" + string(item.Kind) + "'")
	}
}

// userItem: the provider shows a text. If we sent it, it has a row already.
func (m *Machine) userItem(turn string, item Item) {
	if strings.TrimSpace(item.ClientID) == "" {
		item.ClientID = ""
	}
	if item.ClientID != "" {
		if _, ours := m.known[item.ClientID]; ours {
			m.taken(item.ClientID, item.ID)
			return
		}
		if m.isKnown(item.ClientID) && !m.tookQueued(turn, item) {
			m.nonsense("it shows a text that it was not sent: " + item.ClientID)
			item.ClientID = ""
		}
		if _, ours := m.known[item.ClientID]; ours {
			return
		}
	}
	if item.ID != "" && slices.Contains(m.open.users, item.ID) {
		return
	}
	m.open.users = append(m.open.users, item.ID)
	m.record(turn, item)
	m.emit()
}

// tookQueued: the provider has a text after all that was held back because a
// steer of it was refused.
func (m *Machine) tookQueued(turn string, item Item) bool {
	i := slices.IndexFunc(m.queue, func(s *sending) bool { return s.clientID == item.ClientID && !s.going })
	if i < 0 {
		return false
	}
	m.accepted(m.queue[i], turn, Steered)
	m.taken(item.ClientID, item.ID)
	return true
}
