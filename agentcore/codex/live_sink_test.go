package codex_test

import (
	"fmt"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// turn numbers codex's turn ids by their first appearance.
func (r *liveRig) turn(id string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id == "" {
		return "T-"
	}
	if r.turns[id] == "" {
		r.turns[id] = fmt.Sprintf("T%d", len(r.turns)+1)
	}
	return r.turns[id]
}

func (r *liveRig) turnID(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, n := range r.turns {
		if n == name {
			return id
		}
	}
	return name
}

func (r *liveRig) sink(e agentcore.Event) {
	switch e := e.(type) {
	case agentcore.Opened:
		r.mu.Lock()
		r.handle = e.Handle
		r.quirks = codex.QuirksOf(e.Info.Version)
		r.mu.Unlock()
		r.story.add("opened %s", e.Info.Version)
	case agentcore.Answer:
		r.mu.Lock()
		r.values[e.Call] = e.Value
		r.mu.Unlock()
		value := ""
		if id, ok := e.Value.(string); ok {
			value = r.turn(id)
		}
		r.story.add("answer %d %s err=%v", e.Call, value, e.Err)
	case agentcore.TurnStarted:
		r.story.add("started %s", r.turn(e.Turn))
	case agentcore.TurnEnded:
		r.story.add("ended %s %s %q dropped=%q", r.turn(e.Turn), e.Status, e.Error, e.Dropped)
	case agentcore.ItemUpdated:
		r.story.add("item %s %s", r.turn(e.Turn), describeItem(e.Item))
	case agentcore.Taken:
		r.story.add("taken %s %s", r.turn(e.Turn), e.ClientID)
	case agentcore.PermissionRequested:
		r.mu.Lock()
		r.asks = append(r.asks, e.Request.ID)
		r.mu.Unlock()
		r.story.add("asked %s %s %s", r.turn(e.Turn), e.Request.Name, e.Request.Title)
	case agentcore.PermissionResolved:
		r.story.add("resolved %s allow=%v %s", r.turn(e.Turn), e.Response.Allow, e.Response.Message)
	case agentcore.SettingChanged:
		r.story.add("setting %s", e.Name)
	case agentcore.Notice:
		r.story.add("notice %s %s %s retry=%v", r.turn(e.Turn), e.Level, e.Text, e.Retry)
	case agentcore.Exited:
		r.story.add("session gone %v", e.Err)
		close(r.gone)
	}
}

func describeItem(i timeline.Item) string {
	switch i.Kind {
	case timeline.Tool:
		text := fmt.Sprintf("tool %s %s %q", i.Name, i.Status, i.Detail.Command+i.Detail.Path)
		if i.Detail.Kind == "sub_agent" {
			text += fmt.Sprintf(" %q", i.Detail.Output)
		}
		return text
	case timeline.Compaction:
		return fmt.Sprintf("compaction %s %s", i.Status, i.Trigger)
	}
	return fmt.Sprintf("%s %q final=%v", i.Kind, i.Text, i.Final)
}
