package agentcore_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

const agentB = "00000000-0000-4000-8000-00000000000b"

// TestRefusals: 13.D11, 13.D12, 13.D16, 13.M11. What is wrong with a request is said in the words
// that callers know, and nothing else is disturbed.
func TestRefusals(t *testing.T) {
	r := newRig(t, nil)
	r.create()
	r.send("running", "steer")
	r.answer("t1", nil)
	missing := filepath.Join(t.TempDir(), "missing")
	create := func(id, provider, cwd string) agentcore.CreateRequest {
		return agentcore.CreateRequest{AgentID: id, Config: agentcore.SessionConfig{Provider: provider, Cwd: cwd}}
	}
	prompt := func(id, text string) agentcore.SendRequest {
		return agentcore.SendRequest{AgentID: id, Prompt: agentcore.Prompt{Text: text}}
	}
	for _, c := range []struct {
		request agentcore.Request
		want    string
	}{
		{create("main", "fake", "/"), "create: agentId must be a UUID"},
		{prompt("main", "x"), "send: agentId must be a UUID"},
		{create(agentA, "fake", "/"), "Agent with id " + agentA + " already exists"},
		{create(agentB, "other", "/"), "Unknown provider 'other'. Configured providers: fake"},
		{create(agentB, "fake", missing), "Working directory does not exist: " + missing},
		{create(agentB, "fake", "here"), "Working directory is not absolute: here"},
		{prompt(agentB, "x"), "Unknown agent '" + agentB + "'"},
		{agentcore.InterruptRequest{AgentID: agentB}, "Unknown agent '" + agentB + "'"},
		{agentcore.LoadRequest{AgentID: agentB}, "Agent not found: " + agentB},
		{agentcore.RunRequest{SendRequest: prompt(agentA, "x")}, "Agent " + agentA + " already has an active run"},
		{prompt(agentA, " \n"), "Prompt is empty"},
		{prompt(agentA, strings.Repeat("x", 9<<20)), "Prompt has 9437184 bytes, the limit is 8388608: send less"},
		{agentcore.SendRequest{AgentID: agentA, ClientID: "running", Prompt: agentcore.Prompt{Text: "x"}}, "Message 'running' was sent before"},
		{agentcore.RespondRequest{AgentID: agentA, Permission: "p"}, "Permission request 'p' is not pending"},
		{agentcore.WithdrawRequest{AgentID: agentA, ClientID: "x"}, "Message 'x' is not queued: it was sent, withdrawn or never there"},
	} {
		_, err := r.begin(c.request).Result()
		require.EqualError(t, err, c.want)
	}
	require.Equal(t, agentcore.Running, r.state())
	require.Equal(t, []string{"user: running"}, r.rows())
	_, err := r.Timeline(agentB)
	require.ErrorIs(t, err, agentcore.ErrNotFound)
}

// TestMCPNeedsTheCapability: 13.D10. The session is closed again and nothing is
// registered.
func TestMCPNeedsTheCapability(t *testing.T) {
	r := newRig(t, nil)
	_, err := r.Create(context.Background(), agentcore.CreateRequest{AgentID: agentA, Config: agentcore.SessionConfig{
		Provider: "fake", Cwd: t.TempDir(), MCPServers: map[string]any{"x": 1},
	}})
	require.EqualError(t, err, "Provider 'fake' does not support MCP servers")
	r.settle()
	require.Equal(t, 1, r.provider.last().calls("CloseSession"))
	require.Empty(t, r.List())
}

// TestConfig: 13.D2, 13.D3, 13.D4, 13.D5, 13.D17, 13.D18, 13.T4. What a session is opened with.
func TestConfig(t *testing.T) {
	r := newRig(t, nil)
	a, err := r.Create(context.Background(), agentcore.CreateRequest{AgentID: agentA, Title: " title ", Config: agentcore.SessionConfig{
		Provider: "fake", Cwd: t.TempDir(), Model: " default ", Mode: "auto", Env: map[string]string{"K": "v"},
	}})
	require.NoError(t, err)
	require.Equal(t, "title", a.Title)
	opened := r.provider.last().request.Config
	require.Empty(t, opened.Model, "the word default means the provider's own")
	require.Equal(t, "auto", opened.Mode)
	require.Equal(t, "v", opened.Env["K"])
	require.Equal(t, "thread-1", a.Info.SessionID)
	_, err = r.Reload(context.Background(), agentcore.ReloadRequest{AgentID: agentA, Config: &agentcore.SessionConfig{Model: "m"}})
	require.NoError(t, err)
	require.Equal(t, "m", r.provider.last().request.Config.Model)
	require.Equal(t, "v", r.provider.last().request.Config.Env["K"])
	_, err = r.Create(context.Background(), agentcore.CreateRequest{AgentID: agentB, Config: agentcore.SessionConfig{Provider: "fake", Cwd: t.TempDir()}})
	require.NoError(t, err)
	require.Empty(t, r.provider.last().request.Config.Mode, "what is left out stays left out")
}

// TestSubscribers: 13.I7, 13.M9, 13.M10, Q3. A subscriber that panics harms nobody, and
// internal agents are shown to those only who ask for them.
func TestSubscribers(t *testing.T) {
	var panics []string
	r := newRig(t, func(o *agentcore.Options) {
		o.Hooks.Panicked = func(_ string, v any) { panics = append(panics, fmt.Sprint(v)) }
	})
	cancel := r.Subscribe(func(agentcore.Update) { panic("boom") }, agentcore.SubscribeOptions{})
	var hidden, all int
	r.Subscribe(func(agentcore.Update) { hidden++ }, agentcore.SubscribeOptions{AgentID: agentB})
	r.Subscribe(func(agentcore.Update) { all++ }, agentcore.SubscribeOptions{})
	_, err := r.Create(context.Background(), agentcore.CreateRequest{AgentID: agentB, Config: agentcore.SessionConfig{
		Provider: "fake", Cwd: t.TempDir(), Internal: true,
	}})
	require.NoError(t, err)
	r.settle()
	require.Positive(t, hidden)
	require.Zero(t, all)
	require.Empty(t, r.List())
	_, shown := r.Get(agentB)
	require.True(t, shown)
	r.create()
	r.settle()
	require.NotEmpty(t, panics)
	require.Positive(t, all)
	cancel()
	before := len(panics)
	r.send("x", "steer")
	r.answer("t1", nil)
	require.Len(t, panics, before)

	var replayed []agentcore.Update
	r.Subscribe(func(u agentcore.Update) { replayed = append(replayed, u) }, agentcore.SubscribeOptions{})
	require.Len(t, replayed, 1, "the present state of the one agent that is shown")
}

// TestShutdown: 13.N9.
func TestShutdown(t *testing.T) {
	r := newRig(t, nil)
	r.create()
	require.NoError(t, r.Shutdown(context.Background()))
	_, err := r.Load(context.Background(), agentA)
	require.ErrorIs(t, err, agentcore.ErrShuttingDown)
	_, err = r.Create(context.Background(), agentcore.CreateRequest{Config: agentcore.SessionConfig{Provider: "fake", Cwd: "/"}})
	require.Error(t, err)
	recs, err := r.Records()
	require.NoError(t, err)
	require.Equal(t, agentcore.Closed, recs[0].LastStatus)
}

// TestLoadsAreShared: 13.E9, 13.F9. Many loads make one session.
func TestLoadsAreShared(t *testing.T) {
	r := newRig(t, nil)
	r.create()
	require.NoError(t, r.Close(context.Background(), agentA))
	r.settle()
	before := len(r.provider.sessions)
	r.provider.silent = true
	var loads []*agentcore.Pending
	for range 5 {
		loads = append(loads, r.begin(agentcore.LoadRequest{AgentID: agentA}))
	}
	r.provider.last().open()
	r.settle()
	for _, p := range loads {
		_, err := p.Result()
		require.NoError(t, err)
	}
	require.Equal(t, 1, len(r.provider.sessions)-before)
}

// TestAWaitCanBeGivenUp: 13.K4, 13.K6.
func TestAWaitCanBeGivenUp(t *testing.T) {
	r := newRig(t, nil)
	r.create()
	r.send("x", "steer")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := r.WaitForAgent(ctx, agentA, agentcore.WaitEvent)
	require.ErrorIs(t, err, context.Canceled)
	r.answer("t1", nil)
	p := r.begin(agentcore.WaitRequest{AgentID: agentA, For: agentcore.WaitEvent})
	r.emit(agentcore.TurnEnded{Turn: "t1", Status: agentcore.TurnCompleted})
	_, err = p.Result()
	require.NoError(t, err)
}

// TestAForkHasTheHistory: the copy of a conversation begins with what was said.
func TestAForkHasTheHistory(t *testing.T) {
	r := newRig(t, func(o *agentcore.Options) {
		o.NewID = func(kind string) string {
			if kind == "agent" {
				return agentB
			}
			return kind
		}
	})
	parent := r.create()
	p := r.begin(agentcore.ForkRequest{AgentID: agentA})
	parent.answer(agentcore.Handle{Provider: "fake", SessionID: "thread-2"}, nil)
	v, err := p.Result()
	require.NoError(t, err)
	handle := v.(agentcore.Handle)
	r.provider.silent = true
	created := r.begin(agentcore.CreateRequest{Config: agentcore.SessionConfig{Provider: "fake", Cwd: t.TempDir()}, Resume: &handle})
	child := r.provider.last()
	require.Equal(t, "thread-2", child.request.Resume.SessionID)
	child.history = []agentcore.HistoryItem{{Item: agentcore.Item{Kind: timeline.User, Text: "old"}}}
	child.open()
	r.settle()
	_, err = created.Result()
	require.NoError(t, err)
	tl, err := r.Timeline(agentB)
	require.NoError(t, err)
	require.Equal(t, "old", tl.Rows[0].Item.Text)
}

// TestStoreFaults: what cannot be stored is not acknowledged, and the agent goes
// on.
func TestStoreFaults(t *testing.T) {
	full := &fullTimelines{}
	r := newRig(t, func(o *agentcore.Options) { o.Timelines = full })
	r.create()
	full.full = true
	p := r.send("first", "steer")
	r.answer("t1", nil)
	_, err := p.Result()
	require.ErrorIs(t, err, errFull)
	full.full = false
	p = r.send("second", "steer")
	r.answer(nil, nil)
	require.Equal(t, agentcore.Steered, done(t, p).Disposition)
}

var errFull = errors.New("no space left")

type fullTimelines struct {
	agentcore.MemoryTimelines
	full bool
	rest []timeline.Entry
}

func (f *fullTimelines) Append(id string, entries []timeline.Entry) error {
	f.rest = append(f.rest, entries...)
	if f.full {
		return errFull
	}
	entries, f.rest = f.rest, nil
	return f.MemoryTimelines.Append(id, entries)
}

// TestLimits: large outputs are cut at a character, and
// say so.
func TestLimits(t *testing.T) {
	r := newRig(t, func(o *agentcore.Options) { o.Limits.Output = 10 })
	r.create()
	r.send("x", "steer")
	r.answer("t1", nil)
	r.emit(agentcore.ItemUpdated{Turn: "t1", Item: agentcore.Item{
		Kind: timeline.Tool, ID: "c", Status: timeline.Completed, Detail: &timeline.Detail{Kind: "shell", Output: strings.Repeat("ü", 10)},
	}})
	tl, err := r.Timeline(agentA)
	require.NoError(t, err)
	require.Equal(t, "üüüüü\n...[10 bytes more]", tl.Rows[1].Item.Detail.Output)
}
