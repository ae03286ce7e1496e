// Package agentcore manages agents: it starts them, sends them prompts, steers,
// interrupts and resumes them, and keeps their timelines. It knows no provider;
// package codex has the one for Codex.
//
// What decides is pure: a [Machine] for each agent (machine*.go, its inputs and
// effects in machine_io.go) and a registry of which agents there are
// (registry.go). The [Manager] is the shell around them: manager.go has the
// inbox, manager_step.go carries out a machine's effects, manager_registry.go
// the registry's. What a transcript of package interact shows are exactly the
// machine's inputs and effects.
package agentcore
