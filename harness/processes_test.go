package harness

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/reading"
)

// slowBackend starts a process once it is let go.
type slowBackend struct{ free chan struct{} }

func (b slowBackend) Start(_ codex.Command, cb codex.Callbacks) (codex.Process, error) {
	<-b.free
	return stubProcess{exit: cb.Exit}, nil
}

type stubProcess struct {
	codex.Process
	exit func(codex.Exit)
}

func (p stubProcess) Close() { go p.exit(codex.Exit{}) }

// A run can be over before its first codex runs: by its deadline, or by Ctrl-C.
func TestAProcessThatIsBeingStartedIsClosedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &Env{log: eventlog.New(), run: reading.New()}
		b := slowBackend{make(chan struct{})}
		p := newProcesses(e, b)
		started := make(chan error, 1)
		start := func() {
			_, err := p.Start(codex.Command{Agent: "a"}, codex.Callbacks{Exit: func(codex.Exit) {}})
			started <- err
		}
		go start()
		synctest.Wait()
		closed := make(chan struct{})
		go func() { p.closeAll(); close(closed) }()
		synctest.Wait()
		close(b.free)
		require.NoError(t, <-started)
		<-closed

		start()
		require.ErrorContains(t, <-started, "the run is over")
	})
}
