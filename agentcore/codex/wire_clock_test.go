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

// hasty is a codex that asks before its start is through.
type hasty struct{ wrote []string }

func (h *hasty) Start(_ Command, cb Callbacks) (Process, error) {
	cb.Line([]byte(`{"id":1,"method":"ask"}`))
	return h, nil
}

func (h *hasty) Write(line []byte) { h.wrote = append(h.wrote, string(line)) }
func (h *hasty) Close()            {}
func (h *hasty) Kill()             {}

func TestARuleAnswersACodexThatIsBeingStarted(t *testing.T) {
	h := &hasty{}
	w := &Wire{Backend: h, Rules: []WireRule{{Of: "ask", Error: &WireError{Code: 1, Message: "no"}}}}
	_, err := w.Start(Command{Agent: "a"}, Callbacks{})
	require.NoError(t, err)
	require.Equal(t, []string{`{"id":1,"error":{"code":1,"message":"no"}}`}, h.wrote)
}
