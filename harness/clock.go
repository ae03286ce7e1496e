package harness

import (
	"slices"
	"sync"
	"time"
)

// clock is the time of the manager and the adapter. Its timers do not run: a
// guard that ran out because the machine was slow would be another run. They go
// off when a step says so (expire); what never ends is caught by the deadline.
type clock struct {
	mu     sync.Mutex
	next   int
	timers []timer // by the order in which they were armed
}

type timer struct {
	id   int
	name string
	f    func()
}

func newClock() *clock { return &clock{} }

// Now is the real time: it is shown, and never compared.
func (c *clock) Now() time.Time { return time.Now() }

func (c *clock) AfterFunc(name string, _ time.Duration, f func()) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	id := c.next
	c.timers = append(c.timers, timer{id, name, f})
	return func() { c.take(func(t timer) bool { return t.id == id }) }
}

// expire lets the guard of that name that has run longest run out now.
func (c *clock) expire(name string) bool {
	t, ok := c.take(func(t timer) bool { return t.name == name })
	if ok {
		t.f()
	}
	return ok
}

func (c *clock) take(is func(timer) bool) (timer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.timers, is)
	if i < 0 {
		return timer{}, false
	}
	t := c.timers[i]
	c.timers = slices.Delete(c.timers, i, i+1)
	return t, true
}
