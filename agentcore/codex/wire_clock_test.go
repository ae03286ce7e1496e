package codex

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// lateClock has timers that run out as they are stopped: what it was given is
// called by the test, stopped or not.
type lateClock struct{ armed []func() }

func (c *lateClock) Now() time.Time { return time.Unix(0, 0) }

func (c *lateClock) AfterFunc(_ string, _ time.Duration, f func()) func() {
	c.armed = append(c.armed, f)
	return func() {}
}

func TestATimerThatRunsOutAsItIsStopped(t *testing.T) {
	base := &lateClock{}
	s := &standstill{base: base, timers: map[*stillTimer]bool{}}
	fired := 0
	s.AfterFunc("start", time.Second, func() { fired++ })
	s.hold(+1)
	base.armed[0]()
	require.Zero(t, fired, "timers stand still while something is held")
	s.hold(-1)
	base.armed[1]()
	require.Zero(t, fired, "this one was armed for the time of the hold")
	base.armed[2]()
	base.armed[2]()
	require.Equal(t, 1, fired)
	stop := s.AfterFunc("start", time.Second, func() { fired++ })
	stop()
	base.armed[3]()
	require.Equal(t, 1, fired)
}
