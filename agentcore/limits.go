package agentcore

import "time"

// CoalesceUnbounded as Limits.Coalesce makes one row of a text: it is recorded
// when it ends, when another item begins, or when its turn ends; never because
// time has passed.
const CoalesceUnbounded time.Duration = -1

// Limits are the manager's bounds. A zero field means its default.
type Limits struct {
	Interrupt time.Duration // until a session has acknowledged an interrupt: 2 s
	Settle    time.Duration // from there until the turn has ended: 2 s
	Rescue    time.Duration // after an interrupt that failed, until it counts as refused: 0
	Start     time.Duration // until a session has opened, or started a turn: 90 s
	Steer     time.Duration // until a session has answered a steer: 90 s
	Close     time.Duration // until a session has closed: 3 s
	Shutdown  time.Duration // until all agents have closed in a shutdown: 10 s
	Coalesce  time.Duration // window in which pieces of a text become one row: 60 ms, or CoalesceUnbounded
	Leading   bool          // the first piece after a quiet window is recorded at once
	Prompt    int           // bytes of a prompt's text: 8 MiB
	Output    int           // bytes of a tool's output, or of a plain text, in a row: 64 KiB
	Item      int           // bytes of a row's item as JSON, but for what was said: 128 KiB
}

func (l Limits) withDefaults() Limits {
	or := func(p *time.Duration, d time.Duration) {
		if *p == 0 {
			*p = d
		}
	}
	or(&l.Interrupt, 2*time.Second)
	or(&l.Settle, 2*time.Second)
	or(&l.Start, 90*time.Second)
	or(&l.Steer, 90*time.Second)
	or(&l.Close, 3*time.Second)
	or(&l.Shutdown, 10*time.Second)
	or(&l.Coalesce, 60*time.Millisecond)
	if l.Prompt == 0 {
		l.Prompt = 8 << 20
	}
	if l.Output == 0 {
		l.Output = 64 << 10
	}
	if l.Item == 0 {
		l.Item = 128 << 10
	}
	return l
}
