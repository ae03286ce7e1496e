package codex

// Backend starts codex processes. Live runs the binary; package tape plays a
// recording of one.
type Backend interface {
	// Start begins a process. The callbacks are called one at a time, Exit
	// last and exactly once.
	Start(Command, Callbacks) (Process, error)
}

// Command is what to start.
type Command struct {
	Agent string
	Args  []string // after the binary's own name
	Env   []string // the whole environment
	Dir   string
}

// Callbacks take what a process does.
type Callbacks struct {
	Line   func(line []byte) // of standard output, without its end
	Stderr func(text []byte)
	Exit   func(Exit)
}

// Exit is how a process ended.
type Exit struct {
	Code   int    // -1 after a signal
	Signal string // "" after an exit
	Err    error  // the process could not be waited for, or said nonsense
	Stderr string // the last 8 KiB
	// NoStart: there never was a process; Err says why.
	NoStart bool
}

// Process is a running codex.
type Process interface {
	// Write sends one line to standard input; it does not block.
	Write(line []byte)
	// Close ends the process by the ladder: close input, TERM, KILL.
	Close()
	// Kill ends it at once.
	Kill()
}
