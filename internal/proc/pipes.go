package proc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// readLines hands on the lines of standard output, the last one also without
// an end.
func (c *Child) readLines() {
	r := bufio.NewReaderSize(c.outR, 64<<10)
	max := defaultTo(c.spec.MaxLine, 64<<20)
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > max {
			c.fail(fmt.Errorf("a line of its output is longer than %d bytes", max))
			_, _ = io.Copy(io.Discard, r)
			return
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if n := len(line); n > 0 && (err == nil || n > 0) {
			c.line(line)
			line = line[:0]
			if cap(line) > 1<<20 {
				line = nil // one long line must not be paid for ever after
			}
		}
		if err != nil {
			return
		}
	}
}

func (c *Child) line(line []byte) {
	if n := len(line); line[n-1] == '\n' {
		line = line[:n-1]
	}
	c.emit.Lock()
	defer c.emit.Unlock()
	if c.handlers.Line != nil {
		c.handlers.Line(line)
	}
}

func (c *Child) readStderr() {
	buf := make([]byte, 32<<10)
	for {
		n, err := c.errR.Read(buf)
		if n > 0 {
			c.stderr(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

func (c *Child) stderr(text []byte) {
	c.emit.Lock()
	defer c.emit.Unlock()
	c.tail.add(text)
	if c.handlers.Stderr != nil {
		c.handlers.Stderr(text)
	}
}

// tail keeps the last max bytes.
type tail struct {
	max int
	buf []byte
}

func (t *tail) add(p []byte) {
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.max; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
}

func (t *tail) String() string { return string(t.buf) }

// outbox writes lines to a pipe without making the sender wait. The queue is
// the truth, the condition only a wake-up.
type outbox struct {
	w      *os.File
	mu     sync.Mutex
	wake   sync.Cond
	queue  [][]byte
	closed bool
}

func newOutbox(w *os.File) *outbox {
	o := &outbox{w: w}
	o.wake.L = &o.mu
	go o.run()
	return o
}

func (o *outbox) put(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.queue = append(o.queue, append(append(make([]byte, 0, len(line)+1), line...), '\n'))
		o.wake.Signal()
	}
}

func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.wake.Signal()
}

// abort drops what is queued and frees a write that nobody reads.
func (o *outbox) abort() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.queue = true, nil
	_ = o.w.Close()
	o.wake.Signal()
}

func (o *outbox) run() {
	defer o.w.Close()
	for {
		o.mu.Lock()
		for len(o.queue) == 0 && !o.closed {
			o.wake.Wait()
		}
		batch := o.queue
		o.queue = nil
		o.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		for _, line := range batch {
			if _, err := o.w.Write(line); err != nil {
				return // the exit says why
			}
		}
	}
}
