package codextest

import (
	"encoding/json"
	"fmt"

	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// Defaults answer as codex does when nothing is in the way, by method.
func (s *Server) Defaults() map[string]Answer {
	return map[string]Answer{
		"initialize":           s.initialize,
		"thread/start":         s.threadStart,
		"thread/resume":        s.threadResume,
		"thread/unarchive":     s.threadUnarchive,
		"thread/fork":          s.threadFork,
		"thread/read":          s.threadRead,
		"thread/compact/start": gives(map[string]any{}),
		"config/read":          gives(map[string]any{"config": map[string]any{}, "origins": map[string]any{}}),
		"thread/goal/set":      s.goalSet,
		"thread/goal/clear":    gives(map[string]any{"cleared": true}),
		"skills/list":          gives(map[string]any{"data": []any{}}),
		"turn/start":           s.turnStart,
		"turn/steer":           s.turnSteer,
		"turn/interrupt":       s.turnInterrupt,
	}
}

func (s *Server) initialize(Call) (any, *jsonrpc.Error) {
	return map[string]any{
		"userAgent": "heldstream/" + s.version() + " (test)", "codexHome": "/home/fake", "platformFamily": "unix", "platformOs": "linux",
	}, nil
}

func (s *Server) threadStart(Call) (any, *jsonrpc.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.threads++
	return s.opened(threadID(s.threads)), nil
}

func (s *Server) threadResume(c Call) (any, *jsonrpc.Error) { return s.opened(c.thread()), nil }

func (s *Server) threadUnarchive(c Call) (any, *jsonrpc.Error) {
	return map[string]any{"thread": s.thread(c.thread())}, nil
}

func (s *Server) threadFork(Call) (any, *jsonrpc.Error) { return s.opened("fork-1"), nil }

func (s *Server) threadRead(Call) (any, *jsonrpc.Error) {
	return map[string]any{"thread": s.thread(s.Thread())}, nil
}

func (s *Server) goalSet(c Call) (any, *jsonrpc.Error) {
	return map[string]any{"goal": map[string]any{
		"threadId": c.thread(), "objective": "goal", "status": "active", "tokensUsed": 0, "timeUsedSeconds": 0, "createdAt": 0, "updatedAt": 0,
	}}, nil
}

// thread is the thread that a call is about.
func (c Call) thread() string {
	var p struct{ ThreadID string }
	_ = json.Unmarshal(c.Params, &p)
	return p.ThreadID
}

func (s *Server) turnStart(Call) (any, *jsonrpc.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns++
	s.turn, s.announced = fmt.Sprintf("turn-%d", s.turns), false
	return map[string]any{"turn": turn(s.turn, "inProgress", nil)}, nil
}

// turnSteer refuses as codex does: until a turn was announced there is none.
func (s *Server) turnSteer(c Call) (any, *jsonrpc.Error) {
	var p struct{ ExpectedTurnID string }
	_ = json.Unmarshal(c.Params, &p)
	switch running := s.running(); {
	case running == "":
		return nil, refusal("no active turn to steer")
	case running != p.ExpectedTurnID:
		return nil, refusal(fmt.Sprintf("expected active turn id `%s` but found `%s`", p.ExpectedTurnID, running))
	}
	return map[string]any{"turnId": p.ExpectedTurnID}, nil
}

func (s *Server) turnInterrupt(Call) (any, *jsonrpc.Error) {
	if s.running() == "" {
		return nil, refusal("no active turn to interrupt")
	}
	return map[string]any{}, nil
}

func refusal(why string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: why}
}

// follow is what codex says after some of its answers by itself.
func (s *Server) follow(c Call, _ any) [][]byte {
	note := func(method string, params map[string]any) []byte {
		params["threadId"] = s.Thread()
		return jsonrpc.Message{Method: method, Params: raw(params)}.Line()
	}
	switch c.Method {
	case "thread/start":
		return [][]byte{note("thread/started", map[string]any{"thread": s.thread(s.Thread())})}
	case "turn/interrupt":
		return [][]byte{note("turn/completed", s.end("interrupted", nil))}
	}
	return nil
}

func (s *Server) end(status string, fault map[string]any) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.turn
	s.turn = ""
	return map[string]any{"turn": turn(id, status, fault)}
}

// Begin announces the running turn.
func (s *Server) Begin() {
	s.mu.Lock()
	s.announced = true
	s.mu.Unlock()
	s.Notify("turn/started", map[string]any{"turn": turn(s.Turn(), "inProgress", nil)})
}

// Echo puts a text of a user into the history.
func (s *Server) Echo(item, clientID, text string) {
	s.Item("started", map[string]any{
		"type": "userMessage", "id": item, "clientId": clientID,
		"content": []any{map[string]any{"type": "text", "text": text}},
	})
}

// Say is a whole message of the model.
func (s *Server) Say(item, text string) {
	s.Item("started", map[string]any{"type": "agentMessage", "id": item, "text": ""})
	s.Notify("item/agentMessage/delta", map[string]any{"turnId": s.Turn(), "itemId": item, "delta": text})
	s.Item("completed", map[string]any{"type": "agentMessage", "id": item, "text": text})
}

// Item starts or completes an item of the running turn.
func (s *Server) Item(phase string, item map[string]any) {
	s.Notify("item/"+phase, map[string]any{"turnId": s.Turn(), "item": item, phase + "AtMs": 1})
}

// Compaction starts or completes a compaction of the running turn.
func (s *Server) Compaction(phase, item string) {
	s.Item(phase, map[string]any{"type": "contextCompaction", "id": item})
}

// Complete ends the running turn.
func (s *Server) Complete() { s.Notify("turn/completed", s.end("completed", nil)) }

// Fail ends the running turn with an error.
func (s *Server) Fail(message, info string) {
	s.Notify("turn/completed", s.end("failed", map[string]any{"message": message, "codexErrorInfo": info}))
}

// Autonomous begins a turn that the client did not start.
func (s *Server) Autonomous() {
	s.mu.Lock()
	s.turns++
	s.turn = fmt.Sprintf("turn-%d", s.turns)
	s.mu.Unlock()
	s.Begin()
}
