// Package harness plays plans: it is the one place that knows the provider, the
// manager, codex and the log. A Runner builds an Env for each variant, takes its
// steps, waits by reading the log, and judges what came of it.
package harness
