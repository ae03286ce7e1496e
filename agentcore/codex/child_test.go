package codex_test

import (
	"os"
	"testing"
	"time"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
)

// TestChildren speaks with processes: the test binary in the role of a codex
// that does well, or does not. 13.Y3: the crash; 13.Y1: one that is deaf.
func TestChildren(t *testing.T) {
	for _, c := range []struct {
		role  string
		do    func(r *liveRig)
		story []string // parts that come in this order
	}{
		{role: "plain", do: sendOne, story: []string{"opened 0.171.0", "answer 1 T1"}},
		{role: "torn", do: sendOne, story: []string{"opened 0.171.0", "answer 1 T1"}},
		{role: "crash", do: sendOne, story: []string{
			"opened", "answer 1  err=Codex app-server exited with code 101\nthread 'main' panicked at the turn",
		}},
		{role: "garbage", story: []string{`session gone codex app-server printed "frob 1.0: ready"`}},
		{role: "endless", story: []string{"session gone Codex app-server exited with signal killed: a line of its output is longer than 65536 bytes"}},
		{role: "deaf", do: func(r *liveRig) { r.story.await("opened"); r.do(agentcore.CloseSession{}) }, story: []string{
			"exited -1 killed", "answer 1  err=<nil>", "session gone <nil>",
		}},
		{role: "hang", do: func(r *liveRig) { r.do(agentcore.CloseSession{}) }, story: []string{"answer 1  err=<nil>", "session gone <nil>"}},
	} {
		t.Run(c.role, func(t *testing.T) {
			r := &liveRig{t: t, story: newStory(t), turns: map[string]string{}, values: map[agentcore.CallID]any{}}
			r.client = &codex.Client{
				Backend: &codex.Live{Binary: os.Args[0], MaxLine: 64 << 10, Ladder: codex.Ladder{Input: time.Millisecond, Term: time.Millisecond}},
				Command: func(agentcore.OpenRequest) (codex.Command, error) {
					return codex.Command{Env: []string{roleVariable + "=" + c.role}, Dir: t.TempDir()}, nil
				},
			}
			r.client.Hooks.Exited = func(_ string, e codex.Exit) { r.story.add("exited %d %s", e.Code, e.Signal) }
			r.gone = make(chan struct{})
			r.session = r.client.Open(agentcore.OpenRequest{AgentID: "main"}, r.sink)
			if c.do != nil {
				c.do(r)
			}
			for _, part := range c.story {
				r.story.await(part)
			}
			r.do(agentcore.CloseSession{})
			<-r.gone
		})
	}
}

func sendOne(r *liveRig) { r.send("one") }

// TestWithoutABinary: 13.Y2. The session is gone, calls are answered, and the
// error says what to do.
func TestWithoutABinary(t *testing.T) {
	folder := t.TempDir()
	for binary, want := range map[string]string{
		"":               "no binary is named: ",
		"/no/such/codex": "start /no/such/codex: fork/exec /no/such/codex: no such file or directory: ",
		folder:           "start " + folder + ": fork/exec " + folder + ": permission denied: ",
	} {
		for _, wire := range []bool{false, true} {
			var backend codex.Backend = &codex.Live{Binary: binary}
			if wire {
				backend = &codex.Wire{Backend: backend}
			}
			r := &liveRig{t: t, story: newStory(t), turns: map[string]string{}, values: map[agentcore.CallID]any{}, gone: make(chan struct{})}
			r.client = &codex.Client{Backend: backend, Command: func(agentcore.OpenRequest) (codex.Command, error) { return codex.Command{}, nil }}
			r.session = r.client.Open(agentcore.OpenRequest{AgentID: "main"}, r.sink)
			<-r.gone
			const cure = "install codex (npm install -g @openai/codex) and give Live.Binary its path"
			r.story.await("session gone codex cannot be started: " + want + cure)
			r.do(agentcore.InterruptTurn{})
			r.story.await("answer 1", "client is closed")
		}
	}
}
