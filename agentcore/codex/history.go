package codex

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// readHistory asks codex for all that was said, and reads the rollout file
// where codex cannot.
func (m *machine) readHistory(id agentcore.CallID) {
	params := map[string]any{"threadId": m.thread, "includeTurns": true}
	m.requestWithin(m.limits.Start, TimerStart, "thread/read", params, func(r reply) {
		if r.err == nil {
			m.answer(id, historyOf(r.result), nil)
			return
		}
		if m.fresh { // nothing was said yet, and codex knows no file of it
			m.answer(id, []agentcore.HistoryItem{}, nil)
			return
		}
		if m.rollouts != "" {
			if items, err := ReadRollout(m.rollouts, m.thread); err == nil && len(items) > 0 {
				m.answer(id, items, nil)
				return
			}
		}
		m.answer(id, nil, r.err)
	})
}

// historyOf reads the answer to thread/read.
func historyOf(result json.RawMessage) []agentcore.HistoryItem {
	var res struct {
		Thread struct {
			Turns []struct {
				StartedAt int64
				Items     []json.RawMessage
			}
		}
	}
	_ = json.Unmarshal(result, &res)
	out := []agentcore.HistoryItem{}
	for _, t := range res.Thread.Turns {
		var at time.Time
		if t.StartedAt > 0 {
			at = time.Unix(t.StartedAt, 0).UTC()
		}
		for _, raw := range t.Items {
			if item, ok := historyItem(raw); ok {
				out = append(out, agentcore.HistoryItem{Item: item, At: at})
			}
		}
	}
	return out
}

func historyItem(raw json.RawMessage) (timeline.Item, bool) {
	var w wireItem
	if json.Unmarshal(raw, &w) != nil {
		return timeline.Item{}, false
	}
	item := timeline.Item{ID: w.ID, Final: true}
	switch w.Type {
	case "userMessage":
		item.Kind, item.Text, item.ClientID = timeline.User, w.userText(), w.ClientID
	case "agentMessage", "plan":
		item.Kind, item.Text = timeline.Assistant, w.Text
	case "reasoning":
		item.Kind, item.Text = timeline.Thought, w.thought()
	case "contextCompaction":
		return timeline.Item{Kind: timeline.Compaction, ID: w.ID, Status: timeline.Completed, Final: true}, true
	default:
		return mapTool(w, true)
	}
	return item, strings.TrimSpace(item.Text) != ""
}
