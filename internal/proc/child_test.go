package proc_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/internal/proc"
)

// child is a running role, with what it said.
type child struct {
	*proc.Child
	t     *testing.T
	lines chan string
	exit  chan proc.Exit
}

// mark is of this process too: the same test may run twice on a machine, and
// each would end the other's children.
func mark(t *testing.T) string { return fmt.Sprintf("hs-test-%d-%s", os.Getpid(), t.Name()) }

func start(t *testing.T, role string, change func(*proc.Spec)) *child {
	t.Helper()
	spec := proc.Spec{
		Path: os.Args[0], Dir: t.TempDir(), Mark: mark(t),
		Env: []string{roleVariable + "=" + role},
	}
	if change != nil {
		change(&spec)
	}
	c := &child{t: t, lines: make(chan string, 100), exit: make(chan proc.Exit, 1)}
	var err error
	c.Child, err = proc.Start(spec, proc.Handlers{
		Line: func(line []byte) { c.lines <- string(line) },
		Exit: func(e proc.Exit) { c.exit <- e; close(c.lines) },
	})
	require.NoError(t, err)
	t.Cleanup(func() { c.Kill(); <-c.Done() })
	return c
}

func (c *child) rest() []string {
	var all []string
	for line := range c.lines {
		all = append(all, line)
	}
	return all
}

func TestChildTalksAndEndsWithItsInput(t *testing.T) {
	c := start(t, "echo", nil)
	c.Write([]byte("one"))
	c.Write([]byte("two"))
	c.Close(proc.Ladder{Input: time.Hour})
	require.Equal(t, []string{"echo one", "echo two", "bye, without an end"}, c.rest(), "what was written before Close goes out")
	require.Equal(t, proc.Exit{}, <-c.exit)
}

func TestChildThatDiesEarly(t *testing.T) {
	c := start(t, "early", nil)
	e := <-c.exit
	require.Equal(t, 3, e.Code)
	require.Equal(t, "panicked at the first line\n", e.Stderr)
	c.Write([]byte("into the void"))
	c.Kill()
	c.Close(proc.Ladder{})
}

// steps collects the timers of a ladder instead of running them.
type steps struct {
	length chan time.Duration
	fire   chan func()
}

func (s steps) after(d time.Duration, f func()) func() {
	s.length <- d
	s.fire <- f
	return func() {}
}

func TestLadder(t *testing.T) {
	c := start(t, "stubborn", nil)
	require.Equal(t, "ready", <-c.lines)
	s := steps{make(chan time.Duration, 2), make(chan func(), 2)}
	c.Close(proc.Ladder{Input: 2 * time.Second, Term: time.Second, After: s.after})
	require.Equal(t, 2*time.Second, <-s.length)
	(<-s.fire)() // TERM, which it ignores
	require.Equal(t, time.Second, <-s.length)
	(<-s.fire)() // KILL
	e := <-c.exit
	require.Equal(t, "killed", e.Signal)
	require.Equal(t, -1, e.Code)
}

func TestLadderEndsWithTerm(t *testing.T) {
	c := start(t, "deaf", nil)
	require.Equal(t, "ready", <-c.lines)
	s := steps{make(chan time.Duration, 2), make(chan func(), 2)}
	c.Close(proc.Ladder{After: s.after})
	(<-s.fire)()
	require.Equal(t, "terminated", (<-c.exit).Signal)
}

func TestLongLineEndsTheChild(t *testing.T) {
	c := start(t, "long line", func(s *proc.Spec) { s.MaxLine = 1000 })
	e := <-c.exit
	require.EqualError(t, e.Err, "a line of its output is longer than 1000 bytes")
	require.Empty(t, c.rest())
}

func TestFloodOfStderrKeepsItsTail(t *testing.T) {
	c := start(t, "flood", func(s *proc.Spec) { s.Tail = 100 })
	e := <-c.exit
	require.Len(t, e.Stderr, 100)
	require.True(t, strings.HasSuffix(e.Stderr, "noise \nthe last words\n"), e.Stderr)
}

func TestWriteDoesNotWaitForADeafChild(t *testing.T) {
	c := start(t, "deaf", nil)
	require.Equal(t, "ready", <-c.lines)
	for range 100 {
		c.Write(make([]byte, 100<<10)) // far more than a pipe holds
	}
	c.Kill()
	require.Equal(t, "killed", (<-c.exit).Signal)
}

func TestStartOfNothing(t *testing.T) {
	_, err := proc.Start(proc.Spec{Path: "/no/such/codex"}, proc.Handlers{})
	require.ErrorContains(t, err, "start /no/such/codex")
}
