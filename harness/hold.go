package harness

import "path/filepath"

// holdCommand is a shell command that a tool call can run to stand still until
// the gate is released: it reads from a pipe that a release writes to.
func (e *Env) holdCommand(gate string) string {
	return "cat " + filepath.Join(e.workspace(), ".hold-"+gate)
}
