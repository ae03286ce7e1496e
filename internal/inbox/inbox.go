// Package inbox has the queue that stands before each state machine here.
package inbox

import "sync"

// Inbox hands what is put in to one handler, one at a time and in order. Its
// goroutine lives only while there is something in it, so that nothing has to
// be closed. Handle is set before the first Put.
type Inbox[T any] struct {
	// Handle deals with one item. It may put more in.
	Handle func(T)

	mu    sync.Mutex
	items []T
	busy  bool // somebody works the items off
}

// Put returns at once. It may be called from anywhere, Handle included.
func (b *Inbox[T]) Put(item T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items = append(b.items, item)
	if !b.busy {
		b.busy = true
		go b.run()
	}
}

func (b *Inbox[T]) run() {
	for {
		b.mu.Lock()
		batch := b.items
		b.items = nil
		b.busy = len(batch) > 0
		b.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		for _, item := range batch {
			b.Handle(item)
		}
	}
}
