package codex

import (
	"math"
	"sync"
	"time"

	"github.com/heldstream/heldstream/agentcore"
)

// standstill is a clock whose timers do not run while something is held. They
// stay known to the clock below by their names, so that a scenario can make
// them run out all the same.
type standstill struct {
	base agentcore.Clock

	mu     sync.Mutex
	held   int
	timers map[*stillTimer]bool
}

type stillTimer struct {
	name  string
	left  time.Duration
	due   time.Time
	armed int // how often
	stop  func()
	fire  func()
}

// never is longer than any run.
const never = time.Duration(math.MaxInt64)

// Now implements agentcore.Clock.
func (s *standstill) Now() time.Time { return s.base.Now() }

// AfterFunc implements agentcore.Clock.
func (s *standstill) AfterFunc(name string, d time.Duration, f func()) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &stillTimer{name: name, left: d, fire: f}
	s.timers[t] = true
	s.arm(t)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.timers[t] {
			delete(s.timers, t)
			t.stop()
		}
	}
}

// arm sets the timer below: for what is left, or for never while held.
func (s *standstill) arm(t *stillTimer) {
	d := t.left
	if s.held > 0 {
		d = never
	}
	t.due = s.base.Now().Add(t.left)
	t.armed++
	nth := t.armed
	t.stop = s.base.AfterFunc(t.name, d, func() { s.ranOut(t, nth) })
}

// ranOut lets a timer fire, unless it was stopped or armed anew since: a timer
// below may run out in the moment in which it is stopped.
func (s *standstill) ranOut(t *stillTimer, nth int) {
	s.mu.Lock()
	live := s.timers[t] && t.armed == nth
	if live {
		delete(s.timers, t)
	}
	s.mu.Unlock()
	if live {
		t.fire()
	}
}

// hold counts what is held. The timers stop with the first and go on with the
// last.
func (s *standstill) hold(delta int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.held > 0
	s.held += delta
	if is := s.held > 0; was == is {
		return
	}
	now := s.base.Now()
	for t := range s.timers {
		t.stop()
		if !was {
			t.left = max(0, t.due.Sub(now))
		}
		s.arm(t)
	}
}
