package codextest

import (
	"encoding/json"
	"fmt"

	"github.com/heldstream/heldstream/internal/jsonrpc"
)

func threadID(n int) string { return fmt.Sprintf("thread-%d", n) }

// defaults answer as codex does when nothing is in the way.
func (s *Server) defaults() map[string]Answer {
	return map[string]Answer{
		"initialize":           s.initialize,
		"thread/start":         s.threadStart,
		"thread/resume":        s.threadResume,
		"thread/unarchive":     func(Call) (any, *jsonrpc.Error) { return map[string]any{}, nil },
		"thread/fork":          s.threadFork,
		"thread/read":          s.threadRead,
		"thread/compact/start": func(Call) (any, *jsonrpc.Error) { return map[string]any{}, nil },
		"turn/start":           s.turnStart,
		"turn/steer":           s.turnSteer,
		"turn/interrupt":       s.turnInterrupt,
	}
}

func (s *Server) initialize(Call) (any, *jsonrpc.Error) {
	version := s.Version
	if version == "" {
		version = "0.171.0"
	}
	return map[string]any{"userAgent": "heldstream/" + version + " (test)"}, nil
}

func thread(id string) map[string]any {
	return map[string]any{"thread": map[string]any{"id": id}, "model": "mock-model"}
}

func (s *Server) threadStart(Call) (any, *jsonrpc.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.threads++
	return thread(threadID(s.threads)), nil
}

func (s *Server) threadResume(c Call) (any, *jsonrpc.Error) {
	var p struct{ ThreadID string }
	_ = json.Unmarshal(c.Params, &p)
	return thread(p.ThreadID), nil
}

func (s *Server) threadFork(Call) (any, *jsonrpc.Error) { return thread("fork-1"), nil }

func (s *Server) threadRead(Call) (any, *jsonrpc.Error) {
	return map[string]any{"thread": map[string]any{"id": s.Thread(), "turns": []any{}}}, nil
}

func (s *Server) turnStart(Call) (any, *jsonrpc.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns++
	s.turn = fmt.Sprintf("turn-%d", s.turns)
	return map[string]any{"turn": map[string]any{"id": s.turn}}, nil
}

func (s *Server) turnSteer(c Call) (any, *jsonrpc.Error) {
	var p struct{ ExpectedTurnID string }
	_ = json.Unmarshal(c.Params, &p)
	if turn := s.Turn(); turn != p.ExpectedTurnID {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "no active turn to steer"}
	}
	return map[string]any{"turnId": p.ExpectedTurnID}, nil
}

func (s *Server) turnInterrupt(Call) (any, *jsonrpc.Error) {
	if s.Turn() == "" {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "no active turn to interrupt"}
	}
	return map[string]any{}, nil
}

// follow is what codex says after some of its answers by itself.
func (s *Server) follow(c Call, _ any) [][]byte {
	note := func(method string, params map[string]any) []byte {
		params["threadId"] = s.Thread()
		return jsonrpc.Message{Method: method, Params: raw(params)}.Line()
	}
	switch c.Method {
	case "thread/start":
		return [][]byte{note("thread/started", map[string]any{"thread": map[string]any{"id": s.Thread()}})}
	case "turn/interrupt":
		return [][]byte{note("turn/completed", s.end("interrupted", nil))}
	}
	return nil
}

func (s *Server) end(status string, fault map[string]any) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	turn := map[string]any{"id": s.turn, "status": status, "error": fault}
	s.turn = ""
	return map[string]any{"turn": turn}
}

// Begin announces the running turn.
func (s *Server) Begin() {
	s.Notify("turn/started", map[string]any{"turn": map[string]any{"id": s.Turn(), "status": "inProgress"}})
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
	s.Notify("item/"+phase, map[string]any{"turnId": s.Turn(), "item": item})
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
