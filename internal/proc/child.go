package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// MarkVariable is the environment variable by which a child and all that it
// starts are found again.
const MarkVariable = "HELDSTREAM_MARK"

// Spec is what to start.
type Spec struct {
	Path string
	Args []string // after the name
	Env  []string // all of it; the mark is added
	Dir  string
	Mark string // "" leaves descendants with sessions of their own alone
	// MaxLine is the longest line of standard output, in bytes; 0: 64 MiB. A
	// longer one ends the child.
	MaxLine int
	// Tail is how much of standard error is kept, in bytes; 0: 8 KiB.
	Tail int
}

// Handlers take what a child does. They are called one at a time, Exit last
// and exactly once. Line and Stderr must not keep their argument.
type Handlers struct {
	Line   func([]byte) // without its end
	Stderr func([]byte)
	Exit   func(Exit)
}

// Exit is how a child ended.
type Exit struct {
	Code   int    // -1 after a signal
	Signal string // "" after an exit
	Err    error  // it could not be waited for, or broke a limit
	Stderr string // the tail
}

// Ladder is how long each step of Close may take before the next.
type Ladder struct {
	Input, Term time.Duration
	// After arms a timer and returns how to stop it; nil: time.AfterFunc.
	After func(time.Duration, func()) (stop func())
}

// readGrace bounds how long the output of a dead child is read on: whoever
// still holds the pipe is no descendant that could be found.
const readGrace = time.Second

// Child is a running process.
type Child struct {
	cmd      *exec.Cmd
	spec     Spec
	handlers Handlers
	in       *outbox
	outR     *os.File
	errR     *os.File
	done     chan struct{}

	emit sync.Mutex // one handler at a time; guards tail
	tail tail

	mu     sync.Mutex // guards the fields below
	fault  error
	stop   func() // the ladder's armed timer
	closed bool
	gone   bool
}

// Start starts a child. An error means that nothing runs.
func Start(spec Spec, h Handlers) (*Child, error) {
	c := &Child{spec: spec, handlers: h, done: make(chan struct{})}
	c.tail.max = defaultTo(spec.Tail, 8<<10)
	c.cmd = exec.Command(spec.Path, spec.Args...)
	c.cmd.Dir = spec.Dir
	c.cmd.Env = append(append([]string{}, spec.Env...), MarkVariable+"="+spec.Mark)
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	becomeSubreaper()
	if err := c.start(); err != nil {
		return nil, err
	}
	var readers sync.WaitGroup
	readers.Go(c.readLines)
	readers.Go(c.readStderr)
	go c.wait(&readers)
	return c, nil
}

func (c *Child) start() error {
	inR, inW, err := os.Pipe()
	if err != nil {
		return err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		closeAll(inR, inW)
		return err
	}
	errR, errW, err := os.Pipe()
	if err != nil {
		closeAll(inR, inW, outR, outW)
		return err
	}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = inR, outW, errW
	err = c.cmd.Start()
	closeAll(inR, outW, errW)
	if err != nil {
		closeAll(inW, outR, errR)
		return fmt.Errorf("start %s: %w", c.spec.Path, err)
	}
	c.in, c.outR, c.errR = newOutbox(inW), outR, errR
	return nil
}

// Pid is the process id, which is its group's too.
func (c *Child) Pid() int { return c.cmd.Process.Pid }

// Write queues one line for standard input. It does not block.
func (c *Child) Write(line []byte) { c.in.put(line) }

// Close ends the child: its input is closed once what was written has gone
// out; if that does not do, TERM, then KILL to the whole group. It returns at
// once.
func (c *Child) Close(l Ladder) {
	if l.After == nil {
		l.After = func(d time.Duration, f func()) func() {
			t := time.AfterFunc(d, f)
			return func() { t.Stop() }
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.gone {
		return
	}
	c.closed = true
	c.in.close()
	c.stop = l.After(l.Input, func() {
		c.signal(syscall.SIGTERM)
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.gone {
			c.stop = l.After(l.Term, c.Kill)
		}
	})
}

// Kill ends the child and its group at once.
func (c *Child) Kill() { c.signal(syscall.SIGKILL) }

func (c *Child) signal(s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone { // afterwards the id may be somebody else's
		_ = syscall.Kill(-c.cmd.Process.Pid, s)
	}
}

// Done is closed after Exit was reported.
func (c *Child) Done() <-chan struct{} { return c.done }

func (c *Child) wait(readers *sync.WaitGroup) {
	err := c.cmd.Wait()
	c.mu.Lock()
	c.gone = true
	// Nobody has reused the group's id while its members may live: a group
	// lives as long as one of them.
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	if c.stop != nil {
		c.stop()
	}
	c.mu.Unlock()
	if c.spec.Mark != "" {
		EndMarked(c.spec.Mark)
	}
	reapGroup(c.cmd.Process.Pid)
	c.in.abort()
	_ = c.outR.SetReadDeadline(time.Now().Add(readGrace))
	_ = c.errR.SetReadDeadline(time.Now().Add(readGrace))
	readers.Wait()
	closeAll(c.outR, c.errR)
	c.emit.Lock()
	defer c.emit.Unlock()
	if c.handlers.Exit != nil {
		c.handlers.Exit(c.exit(err))
	}
	close(c.done)
}

func (c *Child) exit(err error) Exit {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := Exit{Code: c.cmd.ProcessState.ExitCode(), Err: c.fault, Stderr: c.tail.String()}
	if ws, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.Signal = ws.Signal().String()
	}
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) && e.Err == nil {
		e.Err = err
	}
	return e
}

func (c *Child) fail(err error) {
	c.mu.Lock()
	c.fault = err
	c.mu.Unlock()
	c.Kill()
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

func defaultTo(n, def int) int {
	if n == 0 {
		return def
	}
	return n
}
