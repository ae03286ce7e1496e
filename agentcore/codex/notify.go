package codex

import (
	"encoding/json"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// note is the part of a notification that most of them share.
type note struct {
	ThreadID string
	TurnID   string
	Turn     struct {
		ID     string
		Status string
		Error  *turnError
	}
	Item   json.RawMessage
	ItemID string
	Delta  string
	raw    json.RawMessage
}

// turn is the id of the turn that a notification is about, wherever it stands.
func (n note) turn() string {
	if n.TurnID != "" {
		return n.TurnID
	}
	return n.Turn.ID
}

type turnError struct {
	Message           string
	CodexErrorInfo    json.RawMessage
	AdditionalDetails string
}

// code is the kind of an error as one word: a string, or the one key of an
// object.
func (e *turnError) code() string {
	var word string
	if json.Unmarshal(e.CodexErrorInfo, &word) == nil {
		return word
	}
	var object map[string]any
	_ = json.Unmarshal(e.CodexErrorInfo, &object)
	for k := range object {
		return k
	}
	return ""
}

// handlers take the notifications of the session's own thread.
var handlers = map[string]func(*machine, note){
	"turn/started":                              func(m *machine, n note) { m.turnStarted(n.turn()) },
	"turn/completed":                            (*machine).turnCompleted,
	"item/started":                              (*machine).itemStarted,
	"item/completed":                            (*machine).itemCompleted,
	"item/agentMessage/delta":                   (*machine).messageDelta,
	"item/plan/delta":                           (*machine).planDelta,
	"item/reasoning/summaryTextDelta":           (*machine).thoughtDelta,
	"item/reasoning/textDelta":                  (*machine).thoughtDelta,
	"item/reasoning/summaryPartAdded":           (*machine).thoughtPart,
	"item/commandExecution/outputDelta":         (*machine).outputDelta,
	"item/fileChange/outputDelta":               (*machine).outputDelta,
	"item/commandExecution/terminalInteraction": (*machine).terminalInput,
	"item/fileChange/patchUpdated":              (*machine).patchUpdated,
	"thread/tokenUsage/updated":                 (*machine).usageUpdated,
	"thread/compacted":                          (*machine).threadCompacted,
	"turn/plan/updated":                         (*machine).planUpdated,
	"error":                                     (*machine).errorNoted,
	"warning":                                   (*machine).warned,
	"guardianWarning":                           (*machine).warned,
	"serverRequest/resolved":                    (*machine).askResolved,
	"model/rerouted":                            (*machine).modelRerouted,
	"skills/changed":                            (*machine).skillsChanged,
}

// quiet are notifications that say nothing about a conversation. What stands
// in neither table is reported as unknown.
var quiet = []string{
	"account/", "app/", "attestation/", "autoApprovalReview/", "command/", "configWarning",
	"deprecationNotice", "externalAgentConfig/", "fs/", "fuzzyFileSearch/", "hook/",
	"item/autoApprovalReview/", "item/mcpToolCall/progress", "mcpServer/", "model/", "modelProvider/",
	"process/", "project/", "rawResponse", "remoteControl/", "skills/", "thread/archived",
	"thread/attachment/", "thread/closed", "thread/deleted", "thread/environment/", "thread/goal/",
	"thread/name/", "thread/prediction/", "thread/project/", "thread/queue/", "thread/readState/",
	"thread/realtime/", "thread/reverted", "thread/search/", "thread/section/", "thread/settings/",
	"thread/started", "thread/status/", "thread/unarchived", "turn/diff/", "turn/moderationMetadata",
	"windows", "codex/event/", // the mirror of old versions
}

func (m *machine) takeNotification(msg jsonrpc.Message) {
	n := note{raw: msg.Params}
	if err := json.Unmarshal(msg.Params, &n); err != nil && len(msg.Params) > 0 {
		m.do(unknownEffect{msg.Method, "its params cannot be read: " + err.Error()})
		return
	}
	if strings.HasPrefix(msg.Method, "codex/event/") {
		return
	}
	if n.ThreadID != "" && n.ThreadID != m.thread {
		m.childNote(msg.Method, n)
		return
	}
	if h := handlers[msg.Method]; h != nil {
		h(m, n)
		return
	}
	for _, prefix := range quiet {
		if strings.HasPrefix(msg.Method, prefix) {
			return
		}
	}
	m.do(unknownEffect{msg.Method, "unknown notification"})
}

func (m *machine) turnCompleted(n note) {
	end := agentcore.TurnEnded{Status: agentcore.TurnCompleted}
	switch n.Turn.Status {
	case "failed":
		end.Status = agentcore.TurnFailed
		end.Error = "Codex turn failed"
		if e := n.Turn.Error; e != nil {
			end.Error, end.Code, end.Detail = e.Message, e.code(), e.AdditionalDetails
		}
	case "interrupted":
		end.Status = agentcore.TurnInterrupted
	}
	if end.Status == agentcore.TurnCompleted {
		m.offerPlan(m.planning(n.turn()))
	}
	m.turnEnded(n.turn(), end)
}

func (m *machine) errorNoted(n note) {
	var p struct {
		Error     turnError
		WillRetry bool
	}
	_ = json.Unmarshal(n.raw, &p)
	m.emit(agentcore.Notice{
		Turn: n.turn(), Level: "error", Text: p.Error.Message, Code: p.Error.code(), Retry: p.WillRetry,
	})
}

func (m *machine) warned(n note) {
	var p struct{ Message string }
	_ = json.Unmarshal(n.raw, &p)
	m.emit(agentcore.Notice{Turn: n.turn(), Level: "warning", Text: p.Message})
}

func (m *machine) modelRerouted(n note) {
	var p struct{ ToModel string }
	_ = json.Unmarshal(n.raw, &p)
	m.emit(agentcore.SettingChanged{Name: "model", Value: p.ToModel})
}

type tokens struct {
	TotalTokens, InputTokens, CachedInputTokens, OutputTokens *int64
}

func (m *machine) usageUpdated(n note) {
	var p struct {
		TokenUsage struct {
			Last               tokens
			ModelContextWindow *int64
		}
	}
	if json.Unmarshal(n.raw, &p) != nil {
		return
	}
	last := p.TokenUsage.Last
	u := agentcore.Usage{
		Input: last.InputTokens, CachedInput: last.CachedInputTokens, Output: last.OutputTokens,
		Total: last.TotalTokens, ContextUsed: positive(last.TotalTokens), ContextMax: positive(p.TokenUsage.ModelContextWindow),
	}
	if t := m.turns.get(n.turn()); t != nil {
		t.usage = &u
	}
	m.emit(agentcore.UsageUpdated{Turn: n.turn(), Usage: u})
}

func positive(n *int64) *int64 {
	if n == nil || *n <= 0 {
		return nil
	}
	return n
}
