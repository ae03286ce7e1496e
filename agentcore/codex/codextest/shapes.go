package codextest

import (
	"fmt"

	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// The shapes of what the server says have all that codex's schemas demand: a
// live test holds them to the schemas that the binary prints.

func threadID(n int) string { return fmt.Sprintf("thread-%d", n) }

func (s *Server) version() string {
	if s.Version == "" {
		return "0.171.0"
	}
	return s.Version
}

// thread is a thread that is open, without its turns.
func (s *Server) thread(id string) map[string]any {
	return map[string]any{
		"id": id, "sessionId": id, "projectId": nil, "preview": "", "ephemeral": false, "modelProvider": "mock",
		"createdAt": 0, "updatedAt": 0, "status": map[string]any{"type": "idle"}, "cwd": "/workspace", "cliVersion": s.version(),
		"source": "appServer", "turns": []any{},
	}
}

// opened is the answer to what opens a thread.
func (s *Server) opened(id string) map[string]any {
	return map[string]any{
		"thread": s.thread(id), "model": "mock-model", "modelProvider": "mock", "cwd": "/workspace",
		"approvalPolicy": "never", "approvalsReviewer": "user", "sandbox": map[string]any{"type": "workspaceWrite"},
	}
}

func turn(id, status string, fault map[string]any) map[string]any {
	return map[string]any{"id": id, "status": status, "items": []any{}, "error": fault}
}

func gives(result map[string]any) Answer {
	return func(Call) (any, *jsonrpc.Error) { return result, nil }
}
