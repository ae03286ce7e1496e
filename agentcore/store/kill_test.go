package store_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/store"
)

const childEnv = "HELDSTREAM_STORE_CHILD"

// TestMain is the child of the kill test, too.
func TestMain(m *testing.M) {
	if root := os.Getenv(childEnv); root != "" {
		child(root, os.Getenv(childEnv+"_ROUND"))
		return
	}
	goleak.VerifyTestMain(m)
}

const (
	killAgents = 20
	kills      = 50
)

func agentID(i int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", i) }

// oneTurn opens sessions in which every turn ends at once.
type oneTurn struct{}

func (oneTurn) Open(r agentcore.OpenRequest, sink agentcore.Sink) agentcore.Session {
	sink(agentcore.Opened{Handle: agentcore.Handle{Provider: "auto", SessionID: r.AgentID}})
	return &turns{sink: sink}
}

type turns struct {
	sink agentcore.Sink
	mu   sync.Mutex
	n    int
}

func (s *turns) Do(c agentcore.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	op, ok := c.Op.(agentcore.StartTurn)
	if !ok {
		s.sink(agentcore.Answer{Call: c.ID})
		return
	}
	s.n++
	turn := fmt.Sprint("t", s.n)
	s.sink(agentcore.Answer{Call: c.ID, Value: turn})
	s.sink(agentcore.Taken{Turn: turn, ClientID: op.ClientID, ItemID: "item"})
	s.sink(agentcore.TurnEnded{Turn: turn, Status: agentcore.TurnCompleted})
}

// child runs agents on the durable store for ever and says on standard output
// what was acknowledged, after the fact.
func child(root, round string) {
	s := store.New(root, nil)
	m := agentcore.New(agentcore.Options{
		Providers: map[string]agentcore.Provider{"auto": oneTurn{}}, Records: s, Timelines: s.Timelines(),
	})
	queue, _ := agentcore.PresetNamed("queue")
	var out sync.Mutex
	var all sync.WaitGroup
	for i := range killAgents {
		all.Go(func() {
			ctx, id := context.Background(), agentID(i)
			if _, err := m.Load(ctx, id); err != nil {
				_, err = m.Create(ctx, agentcore.CreateRequest{AgentID: id, Config: agentcore.SessionConfig{Provider: "auto", Cwd: root}})
				if err != nil {
					fmt.Println("error", err)
					return
				}
			}
			for n := 0; ; n++ {
				r, err := m.Send(ctx, agentcore.SendRequest{
					AgentID: id, Prompt: agentcore.Prompt{Text: "text"}, ClientID: fmt.Sprintf("r%s-%d", round, n), Policy: queue,
				})
				out.Lock()
				if err != nil {
					fmt.Println("error", err)
				} else {
					fmt.Println("ack", id, r.ClientID)
				}
				out.Unlock()
			}
		})
	}
	all.Wait()
}

// TestKill ends the process at random moments and looks at what is left: each
// acknowledged text once, as a row or in the queue.
func TestKill(t *testing.T) {
	root := t.TempDir()
	const seed = 5728
	random := rand.New(rand.NewPCG(seed, 0))
	acked := map[string]bool{}
	for round := range kills {
		runAndKill(t, root, round, random.IntN(60), acked)
	}
	s := store.New(root, nil)
	s.Damaged = func(name, _ string, err error) { t.Errorf("%s: %v", name, err) }
	for i := range killAgents {
		tl, err := s.Timelines().Load(agentID(i))
		require.NoError(t, err)
		for _, row := range tl.Rows {
			seen(t, acked, agentID(i)+" "+row.Item.ClientID)
		}
		for _, h := range tl.Held {
			seen(t, acked, agentID(i)+" "+h.ClientID)
		}
	}
	for key, missing := range acked {
		require.False(t, missing, "%s was acknowledged and is lost", key)
	}
	t.Logf("%d acknowledged texts, %d kills", len(acked), kills)
}

// seen notes a text that is there. A text that was not acknowledged may be
// there as well, but none may be there twice.
func seen(t *testing.T, acked map[string]bool, key string) {
	t.Helper()
	missing, known := acked[key]
	require.False(t, known && !missing, "%s is there twice", key)
	acked[key] = false
}

// runAndKill starts the child and kills it after so many acknowledgements.
func runAndKill(t *testing.T, root string, round, after int, acked map[string]bool) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{childEnv + "=" + root, fmt.Sprintf("%s_ROUND=%d", childEnv, round), "TMPDIR=" + os.TempDir()}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		key, ok := strings.CutPrefix(lines.Text(), "ack ")
		if !ok {
			t.Errorf("round %d: %s", round, lines.Text())
			break
		}
		acked[key] = true
		if n == after {
			require.NoError(t, cmd.Process.Kill())
		}
	}
	_ = cmd.Process.Kill()
	require.Error(t, cmd.Wait(), "it was killed")
}
