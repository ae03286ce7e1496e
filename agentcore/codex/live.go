package codex

import (
	"fmt"
	"time"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/internal/proc"
)

// Live runs the real binary. It is safe for concurrent use.
type Live struct {
	// Binary is the path of codex.
	Binary string
	// Mark gives each process its mark, by which all that it starts is found
	// and ended with it. nil: descendants with sessions of their own are left.
	Mark func() string
	// MaxLine is the longest line taken from codex, in bytes; 0: 64 MiB.
	MaxLine int
	// Ladder is how long codex has to end after its input was closed, and
	// after TERM. Zero values: 2 s and 1 s.
	Ladder Ladder
	// Clock times the ladder; nil: real time. Its timers are named close.
	Clock agentcore.Clock
}

// Ladder is how long each step of closing may take before the next.
type Ladder struct{ Input, Term time.Duration }

type liveProcess struct {
	*proc.Child
	ladder proc.Ladder
}

func (p liveProcess) Close() { p.Child.Close(p.ladder) }

// Start implements Backend.
func (l *Live) Start(cmd Command, cb Callbacks) (Process, error) {
	mark := ""
	if l.Mark != nil {
		mark = l.Mark()
	}
	child, err := proc.Start(proc.Spec{
		Path: l.Binary, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir,
		Mark: mark, MaxLine: l.MaxLine,
	}, proc.Handlers{
		Line: cb.Line, Stderr: cb.Stderr,
		Exit: func(e proc.Exit) {
			cb.Exit(Exit{Code: e.Code, Signal: e.Signal, Err: e.Err, Stderr: e.Stderr})
		},
	})
	if err != nil {
		return nil, l.noBinary(err)
	}
	return liveProcess{child, l.ladder()}, nil
}

// noBinary says what to do about a binary that does not start.
func (l *Live) noBinary(err error) error {
	const cure = "install codex (npm install -g @openai/codex) and give Live.Binary its path"
	if l.Binary == "" {
		return fmt.Errorf("no binary is named: %s", cure)
	}
	return fmt.Errorf("%w: %s", err, cure)
}

func (l *Live) ladder() proc.Ladder {
	out := proc.Ladder{Input: l.Ladder.Input, Term: l.Ladder.Term}
	if out.Input == 0 {
		out.Input = 2 * time.Second
	}
	if out.Term == 0 {
		out.Term = time.Second
	}
	if l.Clock != nil {
		out.After = func(d time.Duration, f func()) func() {
			return l.Clock.AfterFunc(TimerClose, d, f)
		}
	}
	return out
}
