package codex_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// story is one order for all that happens in a live test; it is waited on, and
// never slept for.
type story struct {
	t     *testing.T
	mu    sync.Mutex
	lines []string
	seen  int // lines before it were awaited
	cond  *sync.Cond
	dead  bool
}

const liveDeadline = 20 * time.Second

func newStory(t *testing.T) *story {
	s := &story{t: t}
	s.cond = sync.NewCond(&s.mu)
	timer := time.AfterFunc(liveDeadline, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.dead = true
		s.cond.Broadcast()
	})
	t.Cleanup(func() { timer.Stop() })
	return s
}

func (s *story) add(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
	s.cond.Broadcast()
}

// await returns the next line, after those awaited before, that contains all
// the parts.
func (s *story) await(parts ...string) string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := s.seen; ; i++ {
		for i >= len(s.lines) && !s.dead {
			s.cond.Wait()
		}
		if s.dead && i >= len(s.lines) {
			s.t.Fatalf("no line with %q in time; the story so far:\n%s", parts, strings.Join(s.lines, "\n"))
		}
		if containsAll(s.lines[i], parts) {
			s.seen = i + 1
			return s.lines[i]
		}
	}
}

// rewind lets the next await begin with the first line.
func (s *story) rewind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = 0
}

func (s *story) count(parts ...string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, l := range s.lines {
		if containsAll(l, parts) {
			n++
		}
	}
	return n
}

func (s *story) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n")
}

func containsAll(s string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(s, p) {
			return false
		}
	}
	return true
}
