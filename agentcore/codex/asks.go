package codex

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// asks are the questions of codex that have no answer yet, oldest first.
type asks []*ask

type ask struct {
	rpc     json.RawMessage // id of codex's request; nil: it is a question of ours
	turn    string
	request agentcore.PermissionRequest
	result  func(agentcore.PermissionResponse) any
	// settled, when set, is called with the response, and gives the value of
	// the answer to Respond.
	settled func(agentcore.PermissionResponse) any
}

func (a asks) find(match func(*ask) bool) *ask {
	if i := slices.IndexFunc(a, match); i >= 0 {
		return a[i]
	}
	return nil
}

// askParams are the params of all kinds of questions.
type askParams struct {
	ThreadID, TurnID, ItemID string
	Reason                   string
	Command                  json.RawMessage // a string, or a list in old versions
	Cwd                      string
	Questions                []struct {
		ID, Header, Question string
		Options              []struct{ Label string }
	}
	Mode, Message   string
	RequestedSchema struct{ Required []string }
	Permissions     json.RawMessage
	ConversationID  string
	CallID          string
}

// askKinds build the question that a method asks.
var askKinds = map[string]func(askParams) (agentcore.PermissionRequest, func(agentcore.PermissionResponse) any){
	"item/commandExecution/requestApproval": commandAsk,
	"item/fileChange/requestApproval":       fileAsk,
	"item/tool/requestUserInput":            questionAsk,
	"tool/requestUserInput":                 questionAsk,
	"mcpServer/elicitation/request":         elicitationAsk,
	"item/permissions/requestApproval":      permissionsAsk,
}

// takeRequest takes a question of codex. One that is not known is refused: a
// kind answer would let codex go on with something that nobody decided.
func (m *machine) takeRequest(msg jsonrpc.Message) {
	build := askKinds[msg.Method]
	if build == nil {
		m.do(unknownEffect{msg.Method, "unknown request"})
		m.write(jsonrpc.Message{ID: msg.ID, Error: &jsonrpc.Error{
			Code: jsonrpc.MethodNotFound, Message: "heldstream does not answer " + msg.Method,
		}})
		return
	}
	var p askParams
	if err := json.Unmarshal(msg.Params, &p); err != nil {
		m.write(jsonrpc.Message{ID: msg.ID, Error: &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: err.Error()}})
		return
	}
	req, result := build(p)
	if result == nil { // nothing that a user could answer
		m.reply(msg.ID, map[string]any{"action": "decline"})
		return
	}
	req.Item = p.ItemID
	req.ID = m.askID(p.ItemID, string(msg.ID))
	a := &ask{rpc: msg.ID, turn: p.TurnID, request: req, result: result}
	if req.Kind == "question" {
		m.questionRow(a, timeline.Running)
		a.settled = func(r agentcore.PermissionResponse) any {
			status := timeline.Canceled
			if r.Allow {
				status = timeline.Completed
			}
			m.questionRow(a, status)
			return nil
		}
	}
	m.asks = append(m.asks, a)
	m.emit(agentcore.PermissionRequested{Turn: a.turn, Request: req})
}

// questionRow shows a question among the tool calls: codex has no item for it.
func (m *machine) questionRow(a *ask, status timeline.Status) {
	m.emit(agentcore.ItemUpdated{Turn: a.turn, Item: timeline.Item{
		Kind: timeline.Tool, ID: a.request.ID, Name: a.request.Name, Status: status, Final: status != timeline.Running,
		Detail: &timeline.Detail{Kind: "text", Text: a.request.Title},
	}})
}

func (m *machine) askID(item, rpc string) string {
	if item == "" {
		item = "request-" + strings.Trim(rpc, `"`)
	}
	id := "permission-" + item
	for n := 2; m.asks.find(func(a *ask) bool { return a.request.ID == id }) != nil; n++ {
		id = fmt.Sprintf("permission-%s-%d", item, n)
	}
	return id
}

func (m *machine) reply(id json.RawMessage, result any) {
	raw, err := jsonrpc.Raw(result)
	if err != nil { // answers are made of strings and maps
		panic("codex: " + err.Error())
	}
	m.write(jsonrpc.Message{ID: id, Result: raw})
}

// respond answers a question.
func (m *machine) respond(op agentcore.Respond) (any, error) {
	a := m.asks.find(func(a *ask) bool { return a.request.ID == op.Request })
	if a == nil {
		return nil, fmt.Errorf("no permission request %q is open", op.Request)
	}
	return m.resolve(a, op.Response), nil
}

func (m *machine) resolve(a *ask, response agentcore.PermissionResponse) any {
	if a.rpc != nil {
		m.reply(a.rpc, a.result(response))
	}
	return m.settleAsk(a, response)
}

func (m *machine) settleAsk(a *ask, response agentcore.PermissionResponse) any {
	return m.closeAsk(a, agentcore.PermissionResolved{Response: response})
}

// cancelAsk: nobody has answered, and nobody can any more.
func (m *machine) cancelAsk(a *ask) {
	m.closeAsk(a, agentcore.PermissionResolved{Response: agentcore.PermissionResponse{Message: "canceled"}, Canceled: true})
}

func (m *machine) closeAsk(a *ask, end agentcore.PermissionResolved) (value any) {
	if a.settled != nil {
		value = a.settled(end.Response)
	}
	m.asks = slices.DeleteFunc(m.asks, func(o *ask) bool { return o == a })
	end.Turn, end.Request = a.turn, a.request.ID
	m.emit(end)
	return value
}

// askResolved: codex waits no more. For what we answered that is old news.
func (m *machine) askResolved(n note) {
	var p struct{ RequestID json.RawMessage }
	_ = json.Unmarshal(n.raw, &p)
	if a := m.asks.find(func(a *ask) bool { return a.rpc != nil && string(a.rpc) == string(p.RequestID) }); a != nil {
		m.cancelAsk(a)
	}
}

// denyAsks refuses all that is open, and lets the turn go on.
func (m *machine) denyAsks() {
	for _, a := range slices.Clone(m.asks) {
		m.resolve(a, agentcore.PermissionResponse{Message: "denied by a new message"})
	}
}

// cancelAsks refuses all that is open, at the end of the session.
func (m *machine) cancelAsks() {
	for _, a := range slices.Clone(m.asks) {
		m.resolve(a, agentcore.PermissionResponse{Interrupt: true, Message: "the session was closed"})
	}
}

// loseAsks: nobody is there any more who could take an answer. A plan needs
// nobody.
func (m *machine) loseAsks() {
	for _, a := range slices.Clone(m.asks) {
		if a.rpc != nil {
			m.cancelAsk(a)
		}
	}
}

func decision(r agentcore.PermissionResponse) any {
	switch {
	case r.Allow:
		return map[string]any{"decision": "accept"}
	case r.Interrupt:
		return map[string]any{"decision": "cancel"}
	}
	return map[string]any{"decision": "decline"}
}

func commandAsk(p askParams) (agentcore.PermissionRequest, func(agentcore.PermissionResponse) any) {
	command := unwrapCommand(p.Command)
	return agentcore.PermissionRequest{
		Name: "CodexBash", Kind: "tool", Title: "Run command: " + command, Description: p.Reason,
		Input: map[string]any{"command": command, "cwd": p.Cwd},
	}, decision
}

func fileAsk(p askParams) (agentcore.PermissionRequest, func(agentcore.PermissionResponse) any) {
	return agentcore.PermissionRequest{
		Name: "CodexFileChange", Kind: "tool", Title: "Apply file changes", Description: p.Reason,
	}, decision
}

func permissionsAsk(p askParams) (agentcore.PermissionRequest, func(agentcore.PermissionResponse) any) {
	return agentcore.PermissionRequest{
			Name: "CodexPermissions", Kind: "tool", Title: "Grant permissions", Description: p.Reason, Input: p.Permissions,
		}, func(r agentcore.PermissionResponse) any {
			if r.Allow {
				return map[string]any{"permissions": p.Permissions, "scope": "turn"}
			}
			return map[string]any{"permissions": map[string]any{}, "scope": "turn"}
		}
}

func questionAsk(p askParams) (agentcore.PermissionRequest, func(agentcore.PermissionResponse) any) {
	req := agentcore.PermissionRequest{Name: "request_user_input", Kind: "question", Title: "Question"}
	for _, q := range p.Questions {
		question := agentcore.Question{ID: q.ID, Header: q.Header, Text: q.Question}
		for _, o := range q.Options {
			question.Options = append(question.Options, o.Label)
		}
		req.Questions = append(req.Questions, question)
	}
	return req, func(r agentcore.PermissionResponse) any {
		answers := map[string]any{}
		for _, q := range req.Questions {
			answers[q.ID] = map[string]any{"answers": answerTo(q, r)}
		}
		return map[string]any{"answers": answers}
	}
}

// answerTo finds the answer by the question's id or its header. A question
// left out gets its first option; a denial answers nothing.
func answerTo(q agentcore.Question, r agentcore.PermissionResponse) []string {
	for _, key := range []string{q.ID, q.Header} {
		if a, ok := r.Answers[key]; ok {
			return a
		}
	}
	if r.Allow && len(q.Options) > 0 {
		return q.Options[:1]
	}
	return []string{}
}

// elicitationAsk is the question of an MCP server. One that wants a page
// opened or a form filled in is declined at once.
func elicitationAsk(p askParams) (agentcore.PermissionRequest, func(agentcore.PermissionResponse) any) {
	if p.Mode == "url" || len(p.RequestedSchema.Required) > 0 {
		return agentcore.PermissionRequest{}, nil
	}
	return agentcore.PermissionRequest{
			Name: "CodexElicitation", Kind: "question", Title: p.Message,
		}, func(r agentcore.PermissionResponse) any {
			switch {
			case r.Allow:
				return map[string]any{"action": "accept", "content": map[string]any{}}
			case r.Interrupt:
				return map[string]any{"action": "cancel"}
			}
			return map[string]any{"action": "decline"}
		}
}
