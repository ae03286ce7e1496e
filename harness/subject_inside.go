package harness

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/heldstream/heldstream/internal/proc"
)

// inside is a manager that runs as a function of this process.
type inside struct {
	in   *lineQueue
	out  *io.PipeWriter
	done chan struct{}
}

func startInside(serve func(calls io.Reader, lines io.Writer) error, h proc.Handlers) *inside {
	r, w := io.Pipe()
	m := &inside{in: newLineQueue(), out: w, done: make(chan struct{})}
	returned := make(chan error, 1)
	go func() {
		err := serve(m.in, w)
		_ = w.Close() // a PipeWriter's never fails
		returned <- err
	}()
	go func() {
		defer close(m.done)
		fault := readLines(r, h.Line)
		_ = r.CloseWithError(errEnded) // a manager that writes on is told
		h.Exit(insideExit(fault, returned))
	}()
	return m
}

var errEnded = errors.New("the run has ended this manager")

// insideExit is how it ended. One that was cut off is not waited for: a function
// cannot be killed.
func insideExit(fault error, returned chan error) proc.Exit {
	x := proc.Exit{Err: fault}
	if fault == nil {
		x.Err = <-returned
	}
	return x
}

// readLines hands on lines until their end, or one that is too long.
func readLines(r io.Reader, take func([]byte)) error {
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, longestLine)
	for scan.Scan() {
		take(scan.Bytes())
	}
	if errors.Is(scan.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a line of its output is longer than %d bytes", longestLine)
	}
	return scan.Err()
}

func (m *inside) Write(line []byte) { m.in.put(line) }

// Close ends its input, and after that its output.
func (m *inside) Close(l proc.Ladder) {
	m.in.end()
	stop := l.After(l.Input, m.Kill)
	go func() { <-m.done; stop() }()
}

// Kill takes its input and output away, which is all that can be done.
func (m *inside) Kill() {
	m.in.end()
	_ = m.out.CloseWithError(errEnded)
}

func (m *inside) Done() <-chan struct{} { return m.done }

// lineQueue is a reader of lines whose writer never waits.
type lineQueue struct {
	mu    sync.Mutex
	more  sync.Cond
	bytes []byte
	ended bool
}

func newLineQueue() *lineQueue {
	q := &lineQueue{}
	q.more.L = &q.mu
	return q
}

func (q *lineQueue) put(line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.bytes = append(append(q.bytes, line...), '\n')
	q.more.Signal()
}

func (q *lineQueue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.more.Signal()
}

// Read implements io.Reader.
func (q *lineQueue) Read(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.bytes) == 0 && !q.ended {
		q.more.Wait()
	}
	if len(q.bytes) == 0 {
		return 0, io.EOF
	}
	n := copy(p, q.bytes)
	q.bytes = slices.Delete(q.bytes, 0, n)
	return n, nil
}
