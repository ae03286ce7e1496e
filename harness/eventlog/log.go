package eventlog

import (
	"context"
	"sync"
	"time"
)

// Event is one thing that happened in a run.
type Event struct {
	Seq   int           // from 1
	At    time.Duration // since the log was made; never compared
	Step  int           // the step under way, from 1; 0 before the first
	Agent string        // whom it concerns; "" for the run as a whole
	Body  Body
}

// Log is an append-only sequence of events. Append gives the order; everything
// that reads, reads that order. A Log is safe for concurrent use.
type Log struct {
	start time.Time

	mu      sync.Mutex
	step    int
	events  []Event
	readers []func(Event)
	changed chan struct{} // closed and replaced at every change
}

// New returns an empty log. Its clock starts now.
func New() *Log {
	return &Log{start: time.Now(), changed: make(chan struct{})}
}

// Append adds an event. Readers have seen it when Append returns.
func (l *Log) Append(agent string, body Body) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s, ok := body.(StepBegan); ok {
		l.step = s.Index
	}
	e := Event{Seq: len(l.events) + 1, At: time.Since(l.start), Step: l.step, Agent: agent, Body: body}
	l.events = append(l.events, e)
	for _, read := range l.readers {
		read(e)
	}
	l.wakeLocked()
}

// Attach adds a reader: it is given each event from now on, one at a time and
// in order, under the log's lock. It must be quick and must not use the log.
func (l *Log) Attach(read func(Event)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readers = append(l.readers, read)
}

// Update runs f under the log's lock and wakes who waits. It is for state that
// waits depend on and that is not worth an event, such as counters of work
// under way.
func (l *Log) Update(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	l.wakeLocked()
}

// View runs f under the log's lock.
func (l *Log) View(f func(events []Event)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l.events)
}

// Events returns all events so far. The slice must not be changed.
func (l *Log) Events() []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.events[:len(l.events):len(l.events)]
}

// Wait returns nil once done reports true, done's error once it has one, or the
// cause of ctx's end. It calls done under the log's lock, first at once and then
// after every change.
func (l *Log) Wait(ctx context.Context, done func(events []Event) (bool, error)) error {
	for {
		l.mu.Lock()
		ok, err := done(l.events)
		changed := l.changed
		l.mu.Unlock()
		if ok || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (l *Log) wakeLocked() {
	close(l.changed)
	l.changed = make(chan struct{})
}
