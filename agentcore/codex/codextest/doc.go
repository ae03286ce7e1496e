// Package codextest has a fake `codex app-server`: it answers every method
// that the client uses, refuses and remembers what it does not expect, and
// does what a test tells it: say something, ask, crash, hang.
//
// A Server is a codex.Backend, for tests without a process; Serve runs one over
// a pair of pipes, for tests whose child process is the test binary itself.
package codextest
