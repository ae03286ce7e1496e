package harness

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/reading"
)

// holds are gates at which commands of tools stand still: ${hold.NAME} is a
// command that reads a pipe, and its open blocks until the other end opens too.
// So that both sides know of each other without polling.
type holds struct {
	env *Env

	mu      sync.Mutex
	pipes   map[string]*os.File // by gate: the end that a release closes, once somebody stands there
	waiting map[string]bool     // gates whose pipe is being opened
	freed   map[string]int      // of a run from tape: releases that the player was not told of yet
	closed  bool
	opening sync.WaitGroup
}

func newHolds(e *Env) *holds {
	return &holds{env: e, pipes: map[string]*os.File{}, waiting: map[string]bool{}, freed: map[string]int{}}
}

func (h *holds) path(gate string) string {
	return filepath.Join(h.env.work.Dir, reading.HoldFile(gate))
}

// command returns the command that stands at the gate.
func (h *holds) command(gate string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.armLocked(gate)
	return "cat " + h.path(gate)
}

// armLocked waits in the background for a command to come to the gate.
func (h *holds) armLocked(gate string) {
	if h.waiting[gate] || h.closed || h.pipes[gate] != nil {
		return
	}
	if err := syscall.Mkfifo(h.path(gate), 0o600); err != nil {
		h.env.log.Append("", eventlog.Trouble{Text: "no pipe for gate " + gate + ": " + err.Error()})
		return
	}
	h.waiting[gate] = true
	h.opening.Go(func() { h.meet(gate) })
}

func (h *holds) meet(gate string) {
	pipe, err := os.OpenFile(h.path(gate), os.O_WRONLY, 0)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.waiting, gate)
	switch {
	case err != nil:
	case h.closed:
		_ = pipe.Close() // nothing was written
	default:
		h.pipes[gate] = pipe
		h.env.log.Append("", eventlog.ToolHeld{Gate: gate})
		if h.env.player != nil {
			h.env.worked(-1) // it was at work until this was known
		}
	}
}

// release lets the command at the gate go on; the next one stands there again.
func (h *holds) release(gate string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	pipe := h.pipes[gate]
	if pipe == nil {
		return 0
	}
	delete(h.pipes, gate)
	if h.env.player != nil {
		h.freed[gate]++
		h.env.worked(+1)
	}
	h.env.log.Append("", eventlog.ToolReleased{Gate: gate})
	// A new pipe, since at the old one the command may still be reading its end;
	// and first, since whoever has read that may come back at once.
	_ = os.Remove(h.path(gate))
	h.armLocked(gate)
	_ = pipe.Close() // nothing was written
	return 1
}

// told: the player was told of a release.
func (h *holds) told(gate string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.freed[gate] > 0 {
		h.freed[gate]--
		h.env.worked(-1)
	}
}

// close lets go whoever waits, on both sides.
func (h *holds) close() {
	h.mu.Lock()
	h.closed = true
	for _, pipe := range h.pipes {
		_ = pipe.Close() // nothing was written
	}
	for gate := range h.waiting {
		// Opening both ends never blocks, and unblocks the other opener.
		if pipe, err := os.OpenFile(h.path(gate), os.O_RDWR, 0); err == nil {
			defer func() { _ = pipe.Close() }()
		}
	}
	h.mu.Unlock()
	h.opening.Wait()
}
