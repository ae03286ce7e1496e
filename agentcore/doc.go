// Package agentcore manages agents: it starts them, sends them prompts, steers,
// interrupts and resumes them, and keeps their timelines. It knows no provider;
// package codex has the one for Codex.
package agentcore
