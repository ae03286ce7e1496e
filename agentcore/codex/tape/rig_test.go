package tape_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/internal/sse"
	"github.com/heldstream/heldstream/mockprovider"
)

// rig plays a hand-written tape against a mock provider; the test is the
// manager. It runs in a bubble, so that "everything has been done" is exact.
type rig struct {
	t        *testing.T
	server   *mockprovider.Server
	player   *tape.Player
	process  codex.Process
	mu       sync.Mutex
	lines    []string // what codex said, and "exit"
	exit     *codex.Exit
	provider []string // what the provider saw
	departed []string
	work     int
	tools    http.Handler // nil: the run has none
}

// request is the recorded request of most tests.
const request = `{"body":{"input":[{"content":[{"text":"hello","type":"input_text"}],"role":"user","type":"message"}],"model":"m","stream":true},"method":"POST","path":"/v1/responses"}`

func parse(t *testing.T, lines ...string) *tape.Tape {
	t.Helper()
	text := head + "spawn main\n" + strings.Join(lines, "\n") + "\n"
	if !strings.Contains(text, "\nexit ") {
		text += `exit {"asked":"close","code":0}` + "\n"
	}
	tp, err := tape.Parse(sealed(text))
	require.NoError(t, err)
	return tp
}

func play(t *testing.T, tp *tape.Tape, replies ...mockprovider.Reply) *rig {
	t.Helper()
	return playWith(t, nil, tp, replies...)
}

// playWith gives the run the manager's tools.
func playWith(t *testing.T, tools http.Handler, tp *tape.Tape, replies ...mockprovider.Reply) *rig {
	t.Helper()
	r := &rig{t: t, tools: tools, server: &mockprovider.Server{Script: &mockprovider.Script{Replies: replies}}}
	r.server.Observe = func(e mockprovider.Event) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if e.Kind != mockprovider.Sent {
			r.provider = append(r.provider, strings.TrimSpace(fmt.Sprintf("%s %s %s", e.Kind, e.Gate, strings.Join(e.Exchange.UserTexts, "|"))))
		}
	}
	r.player = &tape.Player{
		Tape:     tp,
		Provider: func(agent string) http.Handler { return r.server.For(agent) },
		Tools:    func(string) http.Handler { return r.tools },
		Places:   func(cmd codex.Command) tape.Places { return tape.Places{"cwd": cmd.Dir} },
		Departed: func(d *tape.Departure) { r.mu.Lock(); defer r.mu.Unlock(); r.departed = append(r.departed, d.Text) },
		Work:     func(delta int) { r.mu.Lock(); defer r.mu.Unlock(); r.work += delta },
	}
	t.Cleanup(r.server.Close)
	r.start()
	return r
}

func (r *rig) start() {
	p, err := r.player.Start(codex.Command{Agent: "main", Dir: "/run/one"}, codex.Callbacks{
		Line: func(l []byte) { r.mu.Lock(); defer r.mu.Unlock(); r.lines = append(r.lines, string(l)) },
		Exit: func(e codex.Exit) { r.mu.Lock(); defer r.mu.Unlock(); r.exit = &e },
	})
	require.NoError(r.t, err)
	r.process = p
	r.t.Cleanup(func() { p.Kill(); synctest.Wait() })
	synctest.Wait()
}

// say hands codex a line and returns what it says until everything is done.
func (r *rig) say(line string) []string {
	r.process.Write([]byte(line))
	return r.wait()
}

func (r *rig) wait() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Zero(r.t, r.work, "all work is counted down again")
	lines := r.lines
	r.lines = nil
	return lines
}

func (r *rig) close() {
	r.process.Close()
	synctest.Wait()
	require.NotNil(r.t, r.exit)
	r.server.Close()
}

// answered are the event lines of a reply, as a recorder would write them.
func answered(t *testing.T, n int, reply mockprovider.Reply) []string {
	t.Helper()
	reply.Holds, reply.Frame = nil, mockprovider.Frame{}
	s := &mockprovider.Server{Script: &mockprovider.Script{Replies: []mockprovider.Reply{reply}}}
	defer s.Close()
	w := httptest.NewRecorder()
	body := `{"input":[{"content":[{"text":"hello","type":"input_text"}],"role":"user","type":"message"}],"model":"m","stream":true}`
	s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/responses", strings.NewReader(body)))
	var d sse.Decoder
	events, err := d.Write(w.Body.Bytes())
	require.NoError(t, err)
	lines := []string{fmt.Sprintf("~ T1 event %d headers", n)}
	for _, e := range events {
		lines = append(lines, fmt.Sprintf("~ T1 event %d %s %s", n, e.Type, tape.NewHide(nil).Digest(e.Data)))
	}
	return append(lines, fmt.Sprintf("~ T1 event %d end", n))
}

// bubble runs a test in which nothing is left to chance or time.
func bubble(t *testing.T, name string, f func(*testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}
