package agentcore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
)

// slowRecords take their time over a delete: it has begun, and ends when the
// test says so, with fault.
type slowRecords struct {
	agentcore.RecordStore
	begun, release chan struct{}
	fault          error
}

func (s *slowRecords) Delete(id string) error {
	close(s.begun)
	<-s.release
	if s.fault != nil {
		return s.fault
	}
	return s.RecordStore.Delete(id)
}

// TestADeleteIsWaitedFor: what comes while an agent is being deleted finds it
// gone, or, where that failed, as it was.
func TestADeleteIsWaitedFor(t *testing.T) {
	for _, c := range []struct {
		name         string
		fault        error
		load, create string // errors
	}{
		{name: "gone", load: "Agent not found: " + agentA},
		{name: "as it was", fault: errors.New("read-only"), create: "Agent with id " + agentA + " already exists"},
	} {
		t.Run(c.name, func(t *testing.T) {
			records := &slowRecords{
				RecordStore: &agentcore.Memory{}, begun: make(chan struct{}), release: make(chan struct{}), fault: c.fault,
			}
			r := newRig(t, func(o *agentcore.Options) { o.Records = records })
			r.create()
			require.NoError(t, r.Close(context.Background(), agentA))
			deleted := r.Begin(agentcore.DeleteRequest{AgentID: agentA})
			<-records.begun
			load := r.Begin(agentcore.LoadRequest{AgentID: agentA})
			create := r.Begin(agentcore.CreateRequest{AgentID: agentA, Config: agentcore.SessionConfig{Provider: "fake", Cwd: t.TempDir()}})
			close(records.release)
			r.settle()
			_, err := deleted.Result()
			require.Equal(t, c.fault, err)
			requireFault(t, c.load, load)
			requireFault(t, c.create, create)
		})
	}
}

func requireFault(t *testing.T, want string, p *agentcore.Pending) {
	t.Helper()
	_, err := p.Result()
	if want == "" {
		require.NoError(t, err)
		return
	}
	require.EqualError(t, err, want)
}
