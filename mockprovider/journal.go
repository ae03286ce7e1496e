package mockprovider

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// Entry is one line of the journal.
type Entry struct {
	Cursor   int64           `json:"cursor"` // counts up from 1 over the server's life
	Time     time.Time       `json:"time"`   // by the Server's clock; for people: nothing compares it
	Kind     EventKind       `json:"kind"`
	Exchange *Exchange       `json:"-"`
	ID       int             `json:"exchange"`
	Gate     string          `json:"gate,omitempty"`
	What     string          `json:"what,omitempty"`
	Data     json.RawMessage `json:"-"`
	Text     string          `json:"text,omitempty"`
}

// size is what an exchange keeps alive, in bytes.
func (x *Exchange) size() int {
	n := len(x.Body)
	for name, values := range x.Header {
		n += len(name)
		for _, v := range values {
			n += len(v)
		}
	}
	return n
}

// Journal keeps the last happenings, as many as the Limits allow; the oldest
// go first. Its methods are safe for concurrent use.
type Journal struct {
	mu      sync.Mutex
	most    int // entries
	bytes   int
	ring    []Entry
	head, n int
	size    int
	shown   map[*Exchange]int // by exchange: its entries; what it keeps alive goes with the last of them
	next    int64             // the cursor of the next entry
	grown   chan struct{}
}

func newJournal(lim Limits) *Journal {
	return &Journal{most: lim.Journal, bytes: lim.Bytes, shown: map[*Exchange]int{}, next: 1}
}

func (j *Journal) add(e Event, now time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	entry := Entry{
		Cursor: j.next, Time: now, Kind: e.Kind, Exchange: e.Exchange, ID: e.Exchange.ID,
		Gate: e.Gate, What: e.What, Data: e.Data, Text: e.Text,
	}
	j.next++
	j.count(entry, +1)
	for j.n > 0 && (j.n >= j.most || j.size > j.bytes) {
		j.drop()
	}
	j.push(entry)
	if j.grown != nil {
		close(j.grown)
		j.grown = nil
	}
}

// count counts an entry in or out.
func (j *Journal) count(e Entry, by int) {
	j.size += by * len(e.Data)
	if j.shown[e.Exchange] == max(0, -by) { // its first entry comes, or its last one goes
		j.size += by * e.Exchange.size()
	}
	if j.shown[e.Exchange] += by; j.shown[e.Exchange] == 0 {
		delete(j.shown, e.Exchange)
	}
}

func (j *Journal) drop() {
	j.count(j.ring[j.head], -1)
	j.ring[j.head] = Entry{}
	j.head = (j.head + 1) % len(j.ring)
	j.n--
}

// push grows the ring as far as the limit, and no sooner than it must.
func (j *Journal) push(e Entry) {
	if j.n == len(j.ring) {
		bigger := make([]Entry, min(j.most, max(64, 2*j.n)))
		for i := range j.n {
			bigger[i] = j.ring[(j.head+i)%len(j.ring)]
		}
		j.ring, j.head = bigger, 0
	}
	j.ring[(j.head+j.n)%len(j.ring)] = e
	j.n++
}

// Read returns up to limit entries that come after a cursor (0: from the
// start), and how many after it were already dropped.
func (j *Journal) Read(after int64, limit int) (entries []Entry, dropped int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.readLocked(after, limit)
}

func (j *Journal) readLocked(after int64, limit int) ([]Entry, int64) {
	oldest := j.next - int64(j.n)
	dropped := max(0, oldest-after-1)
	var entries []Entry
	for i := max(0, after+1-oldest); i < int64(j.n) && len(entries) < limit; i++ {
		entries = append(entries, j.ring[(j.head+int(i))%len(j.ring)])
	}
	return entries, dropped
}

// Wait returns the first entry after a cursor that the predicate accepts; it
// waits for one until the context ends. A predicate must not call the Journal.
func (j *Journal) Wait(ctx context.Context, after int64, accept func(Entry) bool) (Entry, error) {
	for {
		j.mu.Lock()
		entries, _ := j.readLocked(after, j.n)
		if j.grown == nil {
			j.grown = make(chan struct{})
		}
		grown := j.grown
		j.mu.Unlock()
		for _, e := range entries {
			if accept(e) {
				return e, nil
			}
			after = e.Cursor
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return Entry{}, ctx.Err()
		}
	}
}
