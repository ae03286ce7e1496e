package codex_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/codextest"
)

// startOne opens a session and starts a turn that ends by itself.
func startOne(r *fakeRig) {
	r.open(agentcore.SessionConfig{})
	r.start("one")
	r.take()
}

func TestWire(t *testing.T) {
	for _, c := range []struct {
		name string
		rule codex.WireRule
		do   func(*fakeRig)
		want []string
	}{
		{
			name: "a held reply is passed by what follows",
			rule: codex.WireRule{Of: "turn/start", What: "reply", Hold: "g"},
			do: func(r *fakeRig) {
				startOne(r)
				r.server.Begin()
				r.server.Complete()
				require.Equal(r.t, 1, r.release("g"))
			},
			want: []string{"started turn-1", "ended turn-1 completed dropped=[\"c-one\"]", "answer 1 turn-1"},
		},
		{
			name: "with keep_order nothing passes it, an exit neither",
			rule: codex.WireRule{Of: "turn/started", Hold: "g", KeepOrder: true},
			do: func(r *fakeRig) {
				startOne(r)
				r.server.Begin()
				r.server.Echo("u1", "c-one", "one")
				r.server.Crash(codex.Exit{Code: 1})
				r.note("nothing yet: %d", len(r.take()))
				require.Equal(r.t, 1, r.release("g"))
			},
			want: []string{"nothing yet: 0", "started turn-1", "taken c-one u1", "ended turn-1 failed Codex app-server exited with code 1"},
		},
		{
			name: "an exit loses what is held without keep_order",
			rule: codex.WireRule{Of: "turn/started", Hold: "g"},
			do: func(r *fakeRig) {
				startOne(r)
				r.server.Begin()
				r.server.Crash(codex.Exit{Code: 1})
				r.take()
				require.Equal(r.t, 0, r.release("g"))
			},
		},
		{
			name: "a dropped notification is never told",
			rule: codex.WireRule{Of: "turn/started", Drop: true},
			do: func(r *fakeRig) {
				startOne(r)
				r.server.Begin()
				r.server.Complete()
			},
			want: []string{"ended turn-1 completed dropped=[\"c-one\"]"},
		},
		{
			name: "a repeated notification is told once",
			rule: codex.WireRule{Of: "turn/started", Repeat: 2},
			do: func(r *fakeRig) {
				startOne(r)
				r.server.Begin()
			},
			want: []string{"started turn-1"},
		},
		{
			name: "copies of an old end wait at a gate and change nothing",
			rule: codex.WireRule{Of: "turn/completed", Times: 1, Repeat: 1, RepeatHold: "g"},
			do: func(r *fakeRig) {
				startOne(r)
				r.server.Begin()
				r.server.Echo("u1", "c-one", "one")
				r.server.Complete()
				r.start("two")
				r.take()
				r.server.Begin()
				require.Equal(r.t, 1, r.release("g"))
			},
			want: []string{"started turn-2"},
		},
		{
			name: "a request answered with an error goes no further",
			rule: codex.WireRule{Of: "turn/start", What: "request", Error: &codex.WireError{Code: -32603, Message: "no"}},
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				r.take()
				r.start("one")
				r.take()
				r.note("codex got %d", len(r.server.Calls("turn/start")))
				r.start("two")
			},
			want: []string{"codex got 0", "answer 2 error: no"},
		},
		{
			name: "a reply replaced by an error",
			rule: codex.WireRule{Of: "turn/steer", What: "reply", Error: &codex.WireError{Code: -32000, Message: "lost"}},
			do: func(r *fakeRig) {
				r.running()
				r.steer("two")
				r.take()
				r.server.Echo("u2", "c-two", "two")
			},
			want: []string{"taken c-two u2"},
		},
		{
			name: "a reply behind the notification that follows it",
			rule: codex.WireRule{Of: "turn/start", What: "reply", After: "turn/started"},
			do: func(r *fakeRig) {
				startOne(r)
				r.server.Begin()
				r.server.Echo("u1", "c-one", "one")
			},
			want: []string{"started turn-1", "answer 1 turn-1", "taken c-one u1"},
		},
		{
			name: "codex ends right after a message",
			rule: codex.WireRule{Of: "turn/started", Exit: true},
			do: func(r *fakeRig) {
				startOne(r)
				r.server.Begin()
				r.server.Echo("u1", "c-one", "one")
			},
			want: []string{"started turn-1", "ended turn-1 failed Codex app-server exited with signal killed dropped=[\"c-one\"]"},
		},
		{
			name: "only the second",
			rule: codex.WireRule{Of: "turn/started", Nth: 2, Drop: true},
			do: func(r *fakeRig) {
				startOne(r)
				r.server.Begin()
				r.server.Complete()
				r.start("two")
				r.take()
				r.server.Begin()
				r.server.Complete()
			},
			want: []string{"ended turn-2 completed dropped=[\"c-two\"]"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeWire(t, &codextest.Server{}, []codex.WireRule{c.rule}, func(r *fakeRig) {
				c.do(r)
				require.Equal(t, c.want, r.take())
			})
		})
	}
}

func (r *fakeRig) release(gate string) int {
	synctest.Wait()
	return r.wire.Release(gate, "", 0, false)
}

func TestWireJoinsInOneWrite(t *testing.T) {
	var writes []string
	tap := tapped{&codextest.Server{}, func(line []byte) { writes = append(writes, string(line)) }}
	synctest.Test(t, func(t *testing.T) {
		wire := &codex.Wire{Backend: tap, Rules: []codex.WireRule{{Of: "a", Join: "c"}}}
		p, err := wire.Start(codex.Command{Agent: "main"}, codex.Callbacks{Line: func([]byte) {}, Exit: func(codex.Exit) {}})
		require.NoError(t, err)
		for _, m := range []string{"a", "b", "c", "d"} {
			p.Write([]byte(`{"method":"` + m + `"}`))
		}
		require.False(t, wire.Holding("main"))
	})
	require.Equal(t, []string{`{"method":"a"}` + "\n" + `{"method":"b"}` + "\n" + `{"method":"c"}`, `{"method":"d"}`}, writes)
}

// tapped shows what is written to a backend's processes.
type tapped struct {
	codex.Backend
	see func([]byte)
}

func (t tapped) Start(cmd codex.Command, cb codex.Callbacks) (codex.Process, error) {
	p, err := t.Backend.Start(cmd, cb)
	return tappedProcess{p, t.see}, err
}

type tappedProcess struct {
	codex.Process
	see func([]byte)
}

func (p tappedProcess) Write(line []byte) { p.see(line); p.Process.Write(line) }

func TestWireStopsTheClock(t *testing.T) {
	rules := []codex.WireRule{{Of: "turn/interrupt", What: "reply", Hold: "g", KeepOrder: true}}
	fakeWire(t, &codextest.Server{}, rules, func(r *fakeRig) {
		r.running()
		require.Empty(t, r.clock.armed())
		r.do(agentcore.InterruptTurn{})
		r.take()
		require.Len(t, r.clock.armed(), 1)
		require.Contains(t, r.clock.armed()[0], "interrupt 2562047h", "the limit stands still while the answer is held")
		require.True(t, r.wire.Holding("main"))
		r.release("g")
		r.expect("answer 2", "ended turn-1 interrupted")
		require.Empty(t, r.clock.armed())
	})
}

func TestWireExpiresAHeldLimit(t *testing.T) {
	rules := []codex.WireRule{{Of: "turn/interrupt", What: "reply", Hold: "g"}, {Of: "turn/completed", Hold: "g"}}
	fakeWire(t, &codextest.Server{}, rules, func(r *fakeRig) {
		r.running()
		r.do(agentcore.InterruptTurn{})
		r.take()
		r.clock.expire(codex.TimerInterrupt)
		r.expect("ended turn-1 interrupted", "answer 2")
	})
}

func ExampleWire() {
	wire := &codex.Wire{
		Backend: &codextest.Server{},
		Rules:   []codex.WireRule{{Of: "initialize", What: "reply", Hold: "hello"}},
		Observe: func(e codex.WireEvent) { fmt.Println(e.Kind, e.What, e.Method, e.Gate) },
	}
	p, _ := wire.Start(codex.Command{Agent: "main"}, codex.Callbacks{
		Line: func(line []byte) { fmt.Println(strings.Contains(string(line), "userAgent")) },
		Exit: func(codex.Exit) {},
	})
	p.Write([]byte(`{"id":1,"method":"initialize","params":{}}`))
	wire.Release("hello", "", 0, false)
	// Output:
	// held reply initialize hello
	// released reply initialize hello
	// true
}

// Whoever closes must not wait for an exit that stands behind a held message.
func TestWireLiftDeliversTheExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := []codex.WireRule{{Of: "initialize", What: "reply", Hold: "g", KeepOrder: true}}
		wire := &codex.Wire{Backend: &codextest.Server{}, Rules: rules}
		var seen []string
		p, err := wire.Start(codex.Command{Agent: "main"}, codex.Callbacks{
			Line: func([]byte) { seen = append(seen, "line") },
			Exit: func(codex.Exit) { seen = append(seen, "exit") },
		})
		require.NoError(t, err)
		p.Write([]byte(`{"id":1,"method":"initialize","params":{}}`))
		synctest.Wait()
		p.Kill()
		synctest.Wait()
		require.Empty(t, seen)
		wire.Lift()
		synctest.Wait()
		require.Equal(t, []string{"exit"}, seen)
		require.False(t, wire.Holding("main"))
	})
}

// hasty speaks before its start is through.
type hasty struct{ killed int }

func (h *hasty) Start(_ codex.Command, cb codex.Callbacks) (codex.Process, error) {
	cb.Line([]byte(`{"method":"configWarning","params":{}}`))
	return h, nil
}

func (h *hasty) Write([]byte) {}
func (h *hasty) Close()       {}
func (h *hasty) Kill()        { h.killed++ }

func TestWireEndsAProcessThatIsHasty(t *testing.T) {
	h := &hasty{}
	w := &codex.Wire{Backend: h, Rules: []codex.WireRule{{Of: "configWarning", Exit: true}}}
	_, err := w.Start(codex.Command{Agent: "main"}, codex.Callbacks{Line: func([]byte) {}})
	require.NoError(t, err)
	require.Equal(t, 1, h.killed)
}
