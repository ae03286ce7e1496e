package agentcore_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
)

// TestManyAgents: 200 agents at once, and no row is lost or doubled; nothing
// is left behind. (That no goroutine is, TestMain checks.)
func TestManyAgents(t *testing.T) {
	const agents = 200
	memory := heap()
	m := agentcore.New(agentcore.Options{Providers: map[string]agentcore.Provider{"auto": autoProvider{texts: 3}}})
	dir := t.TempDir()
	var all sync.WaitGroup
	for i := range agents {
		all.Go(func() { oneOfMany(t, m, fmt.Sprintf("00000000-0000-4000-8000-%012d", i), dir) })
	}
	all.Wait()
	require.NoError(t, m.Shutdown(context.Background()))
	require.Empty(t, m.List())
	for i := range agents { // the store in memory keeps timelines; the manager must not
		require.NoError(t, m.Delete(context.Background(), fmt.Sprintf("00000000-0000-4000-8000-%012d", i)))
	}
	require.Less(t, heap(), memory+8<<20)
	runtime.KeepAlive(m)
}

// oneOfMany sends without waiting, then looks at what became of it all.
func oneOfMany(t *testing.T, m *agentcore.Manager, id, dir string) {
	_, err := m.Create(context.Background(), agentcore.CreateRequest{AgentID: id, Config: agentcore.SessionConfig{Provider: "auto", Cwd: dir}})
	if !assert.NoError(t, err) {
		return
	}
	pending := make([]*agentcore.Pending, sendsEach)
	for i := range pending {
		preset, text := []string{"steer", "steer", "queue", "steer-no-wait", "replace"}[i%5], "text"
		if preset == "queue" || preset == "replace" { // so that the queue moves on when nothing more comes
			text = alone
		}
		policy, _ := agentcore.PresetNamed(preset)
		pending[i] = m.Begin(agentcore.SendRequest{
			AgentID: id, Prompt: agentcore.Prompt{Text: text}, ClientID: fmt.Sprint("c", i), Policy: policy,
		})
	}
	accepted := map[string]bool{}
	for i, p := range pending {
		if _, err := p.Result(); err == nil {
			accepted[fmt.Sprint("c", i)] = true
		} else {
			assert.ErrorIs(t, err, agentcore.ErrSuperseded)
		}
	}
	// Turns end when they have had their texts; the last may lack some, and
	// those that are queued wait for it.
	for busy := true; busy; {
		_, err := m.Interrupt(context.Background(), id)
		assert.NoError(t, err)
		a, _ := m.Get(id)
		busy = a.Busy()
	}
	for _, p := range pending {
		if _, err := p.Result(); err == nil {
			_, err := p.Fate(context.Background())
			assert.NoError(t, err)
		}
	}
	tl, err := m.Timeline(id)
	assert.NoError(t, err)
	for _, row := range tl.Rows {
		assert.True(t, accepted[row.Item.ClientID], "row %d is doubled, or was not accepted", row.Seq)
		delete(accepted, row.Item.ClientID)
	}
	assert.Empty(t, accepted, "accepted texts without a row")
}

func heap() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}
