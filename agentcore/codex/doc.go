// Package codex drives `codex app-server`: it is an agentcore.Provider.
package codex
