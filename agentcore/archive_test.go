package agentcore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
)

// family makes agents that are children of one another: each of the one before
// it, the first of nobody.
func (r *rig) family(n int) []string {
	r.t.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("00000000-0000-4000-8000-%012d", i+1)
		labels := map[string]string{"kind": "test"}
		if i > 0 {
			labels[agentcore.ParentLabel] = ids[i-1]
		}
		_, err := r.Create(context.Background(), agentcore.CreateRequest{
			AgentID: ids[i], Labels: labels, Config: agentcore.SessionConfig{Provider: "fake", Cwd: r.t.TempDir()},
		})
		require.NoError(r.t, err)
	}
	return ids
}

func (r *rig) archived() (ids []string) {
	r.t.Helper()
	records, err := r.Records()
	require.NoError(r.t, err)
	for _, rec := range records {
		if rec.ArchivedAt != nil {
			ids = append(ids, rec.ID)
		}
	}
	return ids
}

// TestChildrenAreArchivedWithTheirParent: 13.N8, of live agents and of stored
// ones, down the line, but not those that were detached; once, even when they
// are their own ancestors.
func TestChildrenAreArchivedWithTheirParent(t *testing.T) {
	r := newRig(t, nil)
	ids := r.family(5)
	require.NoError(t, r.Close(context.Background(), ids[1]))
	detached, err := r.Detach(context.Background(), ids[3])
	require.NoError(t, err)
	require.Equal(t, map[string]string{"kind": "test"}, detached.Labels)
	_, err = r.Edit(context.Background(), agentcore.EditRequest{AgentID: ids[0], Labels: map[string]string{agentcore.ParentLabel: ids[2]}})
	require.NoError(t, err)
	require.NoError(t, r.Archive(context.Background(), ids[0]))
	r.settle()
	require.Equal(t, ids[:3], r.archived())
	require.Len(t, r.List(), 2)
}

// TestAChildThatDoesNotCloseIsNotArchived: it says so, and lives on.
func TestAChildThatDoesNotCloseIsNotArchived(t *testing.T) {
	r := newRig(t, nil)
	ids := r.family(2)
	r.provider.last().hang = true
	require.NoError(t, r.Archive(context.Background(), ids[0]))
	r.settle()
	require.True(t, r.clock.expire("close"))
	r.settle()
	require.Equal(t, ids[:1], r.archived())
	last := r.updates[len(r.updates)-1].(agentcore.Streamed)
	require.Equal(t, ids[1], last.Agent)
	require.Contains(t, last.Event.(agentcore.Notice).Text, "not archived with its parent: Timed out")
}

// TestClosedAgentsAreEdited: 13.S5, 13.S6, 13.S7. Titles, labels and archive
// marks of agents that are not live; every one that waits gets its turn.
func TestClosedAgentsAreEdited(t *testing.T) {
	r := newRig(t, nil)
	r.create()
	ctx := context.Background()
	_, err := r.Edit(ctx, agentcore.EditRequest{AgentID: agentB, Title: "x"})
	require.EqualError(t, err, "Unknown agent '"+agentB+"'")
	require.NoError(t, r.Close(ctx, agentA))
	before, err := r.Records()
	require.NoError(t, err)
	edit := r.Begin(agentcore.EditRequest{AgentID: agentA, Title: " new ", Labels: map[string]string{"k": "v"}})
	archive := r.Begin(agentcore.ArchiveRequest{AgentID: agentA})
	unarchive := r.Begin(agentcore.UnarchiveRequest{AgentID: agentA})
	again := r.Begin(agentcore.UnarchiveRequest{AgentID: agentA})
	send := r.Begin(agentcore.SendRequest{AgentID: agentA, Prompt: agentcore.Prompt{Text: "x"}})
	r.settle()
	a, err := edit.Result()
	require.NoError(t, err)
	require.Equal(t, "new", a.(agentcore.Agent).Title)
	_, err = archive.Result()
	require.NoError(t, err)
	was, _ := unarchive.Result()
	require.Equal(t, true, was)
	was, _ = again.Result()
	require.Equal(t, false, was)
	_, err = send.Result()
	require.ErrorIs(t, err, agentcore.ErrClosed)
	after, err := r.Records()
	require.NoError(t, err)
	require.Equal(t, "new", after[0].Title)
	require.Equal(t, map[string]string{"k": "v"}, after[0].Labels)
	require.True(t, after[0].UpdatedAt.After(before[0].UpdatedAt))
	_, err = r.Edit(ctx, agentcore.EditRequest{AgentID: agentA, Title: " \t"})
	require.NoError(t, err)
	loaded, err := r.Load(ctx, agentA)
	require.NoError(t, err)
	require.Equal(t, "new", loaded.Title, "a blank title changes nothing")
	_, err = r.Edit(ctx, agentcore.EditRequest{AgentID: agentA, MarkUnread: true})
	require.NoError(t, err)
}

// failingRecords refuse to be written while fail is set.
type failingRecords struct {
	agentcore.Memory
	fail bool
}

func (s *failingRecords) Save(r agentcore.Record) error {
	if s.fail {
		return errors.New("no space left")
	}
	return s.Memory.Save(r)
}

// TestAnEditThatCannotBeStoredIsRefused: and what comes after it sees the
// record as it was.
func TestAnEditThatCannotBeStoredIsRefused(t *testing.T) {
	records := &failingRecords{}
	r := newRig(t, func(o *agentcore.Options) { o.Records = records })
	r.create()
	require.NoError(t, r.Close(context.Background(), agentA))
	records.fail = true
	archive := r.Begin(agentcore.ArchiveRequest{AgentID: agentA})
	unarchive := r.begin(agentcore.UnarchiveRequest{AgentID: agentA})
	_, err := archive.Result()
	require.EqualError(t, err, "no space left")
	was, err := unarchive.Result()
	require.NoError(t, err)
	require.Equal(t, false, was)
	require.Empty(t, r.archived())
}

// TestAttention: 13.M3, 13.M4: the hook is told of each call, and not any more
// once the manager shuts down.
func TestAttention(t *testing.T) {
	var calls []string
	r := newRig(t, func(o *agentcore.Options) {
		o.Hooks.Attention = func(id string, a agentcore.Attention) { calls = append(calls, id+" "+a.Reason) }
	})
	r.family(2)
	r.create()
	r.emit(agentcore.TurnStarted{Turn: "t1"}, agentcore.TurnEnded{Turn: "t1", Status: agentcore.TurnFailed})
	r.provider.sessions[1].sink(agentcore.TurnStarted{Turn: "t1"})
	r.provider.sessions[1].sink(agentcore.TurnEnded{Turn: "t1", Status: agentcore.TurnCompleted})
	r.provider.last().hang = true
	r.provider.sessions[0].sink(agentcore.TurnStarted{Turn: "t1"})
	r.settle()
	require.Equal(t, []string{agentA + " error"}, calls, "a child does not call")
	require.Error(t, r.shutdown("shutdown"))
	r.emit(agentcore.PermissionRequested{Request: agentcore.PermissionRequest{ID: "p"}})
	require.Len(t, calls, 1)
}

// shutdown shuts down and lets the guard of this name run out meanwhile.
func (r *rig) shutdown(guard string) error {
	failed := make(chan error, 1)
	asked := make(chan struct{})
	begun := sync.OnceFunc(func() { close(asked) })
	r.clock.armed = func(name string) {
		if name == "close" { // the first of the closes has been asked for
			begun()
		}
	}
	go func() { failed <- r.Shutdown(context.Background()) }()
	<-asked
	r.settle()
	r.clock.expire(guard)
	return <-failed
}

// TestAShutdownIsBounded: an agent that does not close is named.
func TestAShutdownIsBounded(t *testing.T) {
	r := newRig(t, nil)
	r.create().hang = true
	require.EqualError(t, r.shutdown("shutdown"), "agent "+agentA+": not closed within 10s")
	_, err := r.Create(context.Background(), agentcore.CreateRequest{AgentID: agentB})
	require.ErrorIs(t, err, agentcore.ErrShuttingDown)
}
