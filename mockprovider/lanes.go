package mockprovider

import (
	"encoding/json"
	"sync"

	"github.com/tidwall/gjson"
)

// lanes run the requests of one stream_id one after the other, and those of
// different ones side by side. The zero value is ready.
type lanes struct {
	mu      sync.Mutex
	wg      sync.WaitGroup
	waiting map[string][]func() // a lane that runs has an entry
	n       int
}

// maxQueued requests may wait or run on one connection.
const maxQueued = 64

func (l *lanes) queue(lane string, do func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n++; l.n > maxQueued {
		return false
	}
	if l.waiting == nil {
		l.waiting = map[string][]func(){}
	}
	if others, runs := l.waiting[lane]; runs {
		l.waiting[lane] = append(others, do)
		return true
	}
	l.waiting[lane] = nil
	l.wg.Go(func() { l.run(lane, do) })
	return true
}

func (l *lanes) run(lane string, do func()) {
	for do != nil {
		do()
		do = l.next(lane)
	}
}

func (l *lanes) next(lane string) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n--
	queue := l.waiting[lane]
	if len(queue) == 0 {
		delete(l.waiting, lane)
		return nil
	}
	l.waiting[lane] = queue[1:]
	return queue[0]
}

func (l *lanes) wait() { l.wg.Wait() }

func withLane(lane string, events []event) {
	if lane == "" {
		return
	}
	name, _ := json.Marshal(lane)
	for i, e := range events {
		if gjson.ParseBytes(e.Data).IsObject() {
			events[i].Data = append(append([]byte(`{"stream_id":`), name...), append([]byte(","), e.Data[1:]...)...)
		}
	}
}
