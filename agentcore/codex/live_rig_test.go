package codex_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/internal/proc"
	"github.com/heldstream/heldstream/mockprovider"
)

// liveBinary is the codex to test against. Without one a test is skipped, and
// says so; where live tests are demanded it fails.
func liveBinary(t *testing.T) string {
	t.Helper()
	path := os.Getenv("CODEX_BIN")
	if path == "" && os.Getenv("HELDSTREAM_LIVE") == "1" {
		t.Fatal("HELDSTREAM_LIVE=1 demands live tests: set CODEX_BIN to a codex binary")
	}
	if path == "" {
		t.Skip("needs the real codex: set CODEX_BIN to its path")
	}
	return path
}

// liveRig is a codex with a fake provider behind it.
type liveRig struct {
	t       *testing.T
	story   *story
	server  *mockprovider.Server
	home    *codex.Home
	trap    *codex.Trap
	client  *codex.Client
	session agentcore.Session
	cwd     string
	mark    string // of all that it starts
	calls   agentcore.CallID
	gone    chan struct{} // closed with the session

	mu      sync.Mutex
	wire    []wireLine
	turns   map[string]string // codex's id -> T1, T2, …
	handle  agentcore.Handle
	quirks  codex.Quirks
	mirror  int // notifications of the old kind
	asks    []string
	sockets int      // provider events over a WebSocket
	bodies  []string // of the requests, in order
	values  map[agentcore.CallID]any
}

func newLiveRig(t *testing.T, config map[string]any, replies ...mockprovider.Reply) *liveRig {
	t.Helper()
	bin := liveBinary(t)
	r := &liveRig{t: t, story: newStory(t), turns: map[string]string{}, values: map[agentcore.CallID]any{}}
	r.server = &mockprovider.Server{Script: &mockprovider.Script{Replies: replies}, Observe: r.observe}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	hs := &http.Server{Handler: r.server}
	served := make(chan struct{})
	go func() { defer close(served); _ = hs.Serve(ln) }()
	r.trap, err = codex.StartTrap(func(host string) { r.story.add("trap %s", host) })
	require.NoError(t, err)
	work, err := proc.OpenWork(t.TempDir())
	require.NoError(t, err)
	r.mark = strings.TrimSuffix(work.Mark(), ".1")
	r.cwd = filepath.Join(work.Dir, "workspace")
	require.NoError(t, os.Mkdir(r.cwd, 0o700))
	r.home = &codex.Home{
		Root: work.Dir, Proxy: r.trap.URL(), Config: config,
		Provider: codex.ProviderConfig{BaseURL: "http://" + ln.Addr().String() + "/v1"},
	}
	r.client = &codex.Client{
		Backend: &codex.Live{Binary: bin, Mark: work.Mark},
		Command: func(req agentcore.OpenRequest) (codex.Command, error) {
			return r.home.Command(req.AgentID, r.cwd), r.home.Prepare()
		},
		Hooks: codex.Hooks{
			Sent: func(_ string, line []byte) {
				r.trace("-> ", line)
				r.keep(true, line)
			},
			Received: r.received,
			Exited:   func(_ string, e codex.Exit) { r.story.add("exited %d %s %v", e.Code, e.Signal, e.Err) },
			Stderr:   r.stderr,
			Unknown:  func(_, method, why string) { r.story.add("unknown %s: %s", method, why) },
		},
	}
	t.Cleanup(func() {
		if !t.Failed() {
			r.close()
		} else if r.session != nil {
			r.kill()
		}
		r.server.Close()
		_ = hs.Close()
		<-served
		_ = r.trap.Close()
		require.Empty(t, r.trap.Hosts(), "codex asked for outside hosts")
		require.NoError(t, work.Close())
		if t.Failed() {
			t.Logf("the story:\n%s", r.story)
		}
	})
	return r
}

func (r *liveRig) received(_ string, line []byte) {
	r.trace("<- ", line)
	r.keep(false, line)
	if strings.Contains(string(line), `"method":"codex/event/`) {
		r.mu.Lock()
		r.mirror++
		r.mu.Unlock()
	}
	if strings.Contains(string(line), `"clientId":"c-`) {
		r.story.add("echo of an id")
	}
}

func (r *liveRig) keep(sent bool, line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wire = append(r.wire, wireLine{sent, append([]byte(nil), line...)})
}

// wireLine is a message as it stood on the wire.
type wireLine struct {
	sent bool
	line []byte
}

func (r *liveRig) stderr(_ string, text []byte) {
	r.trace("!! ", text)
	if strings.Contains(string(text), "didn't complete gracefully after 100ms") {
		r.story.add("spoilt")
	}
}

// spoilt: codex gave up a task that it wanted to end well, which it does on a
// slow machine only.
func (r *liveRig) spoilt() bool { return r.quirks.KeepsInterrupted && r.story.count("spoilt") > 0 }

func (r *liveRig) trace(dir string, line []byte) {
	if os.Getenv("TRACE") != "" {
		fmt.Printf("%s%s%.1500s\n", time.Now().Format("05.000 "), dir, line)
	}
}

func (r *liveRig) observe(e mockprovider.Event) {
	x := e.Exchange
	r.mu.Lock()
	if x.Transport == "websocket" {
		r.sockets++
	}
	if e.Kind == mockprovider.Arrived {
		r.bodies = append(r.bodies, string(x.Body))
	}
	r.mu.Unlock()
	switch e.Kind {
	case mockprovider.Arrived:
		r.story.add("request %s %d.%d %q", x.Class, x.N, x.Try, userTexts(x))
	case mockprovider.Sent:
	default:
		r.story.add("request %s %d.%d %s %s %s", x.Class, x.N, x.Try, e.Kind, e.Gate, e.Text)
	}
}

func userTexts(x *mockprovider.Exchange) []string {
	var out []string
	for _, text := range x.UserTexts {
		if strings.HasPrefix(text, "send") {
			out = append(out, text)
		}
	}
	return out
}

func (r *liveRig) open(resume *agentcore.Handle) {
	r.t.Helper()
	r.gone = make(chan struct{})
	r.session = r.client.Open(agentcore.OpenRequest{
		AgentID: "main", Resume: resume,
		Config: agentcore.SessionConfig{Provider: "codex", Cwd: r.cwd},
	}, r.sink)
	r.story.await("opened")
}

func (r *liveRig) close() {
	if r.session == nil {
		return
	}
	r.do(agentcore.CloseSession{})
	r.story.await("session gone")
	r.session = nil
}

// kill ends what a failed test left running, without asking for a story.
func (r *liveRig) kill() {
	r.do(agentcore.CloseSession{})
	<-r.gone
}

func (r *liveRig) do(op agentcore.Op) agentcore.CallID {
	r.mu.Lock()
	r.calls++
	id := r.calls
	r.mu.Unlock()
	r.session.Do(agentcore.Call{ID: id, Op: op})
	return id
}

func (r *liveRig) send(text string) {
	r.do(agentcore.StartTurn{Prompt: agentcore.Prompt{Text: text}, ClientID: "c-" + text})
}

func (r *liveRig) steer(text, turn string) {
	r.do(agentcore.SteerTurn{Prompt: agentcore.Prompt{Text: text}, ClientID: "c-" + text, Turn: r.turnID(turn)})
}

// since skips a test on versions that lack what it is about. Their minors have three
// digits, so that the order of the texts is that of the versions.
func (r *liveRig) since(version, why string) {
	if r.quirks.Version < version {
		r.t.Skipf("codex %s: %s", r.quirks.Version, why)
	}
}
