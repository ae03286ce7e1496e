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
	"github.com/heldstream/heldstream/agentcore/timeline"
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

// story is one order for all that happens in a live test; it is waited on, and
// never slept for.
type story struct {
	t     *testing.T
	mu    sync.Mutex
	lines []string
	seen  int // lines before it were awaited
	cond  *sync.Cond
	dead  bool
}

const liveDeadline = 20 * time.Second

func newStory(t *testing.T) *story {
	s := &story{t: t}
	s.cond = sync.NewCond(&s.mu)
	timer := time.AfterFunc(liveDeadline, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.dead = true
		s.cond.Broadcast()
	})
	t.Cleanup(func() { timer.Stop() })
	return s
}

func (s *story) add(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
	s.cond.Broadcast()
}

// await returns the next line, after those awaited before, that contains all
// the parts.
func (s *story) await(parts ...string) string {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := s.seen; ; i++ {
		for i >= len(s.lines) && !s.dead {
			s.cond.Wait()
		}
		if s.dead && i >= len(s.lines) {
			s.t.Fatalf("no line with %q in time; the story so far:\n%s", parts, strings.Join(s.lines, "\n"))
		}
		if containsAll(s.lines[i], parts) {
			s.seen = i + 1
			return s.lines[i]
		}
	}
}

// rewind lets the next await begin with the first line.
func (s *story) rewind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = 0
}

func (s *story) count(parts ...string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, l := range s.lines {
		if containsAll(l, parts) {
			n++
		}
	}
	return n
}

func (s *story) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n")
}

func containsAll(s string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(s, p) {
			return false
		}
	}
	return true
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

	mu     sync.Mutex
	wire   []wireLine
	turns  map[string]string // codex's id -> T1, T2, …
	handle agentcore.Handle
	quirks codex.Quirks
	mirror int // notifications of the old kind
	asks   []string
	values map[agentcore.CallID]any
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

// turn numbers codex's turn ids by their first appearance.
func (r *liveRig) turn(id string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id == "" {
		return "T-"
	}
	if r.turns[id] == "" {
		r.turns[id] = fmt.Sprintf("T%d", len(r.turns)+1)
	}
	return r.turns[id]
}

func (r *liveRig) turnID(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, n := range r.turns {
		if n == name {
			return id
		}
	}
	return name
}

func (r *liveRig) sink(e agentcore.Event) {
	switch e := e.(type) {
	case agentcore.Opened:
		r.mu.Lock()
		r.handle = e.Handle
		r.quirks = codex.QuirksOf(e.Info.Version)
		r.mu.Unlock()
		r.story.add("opened %s", e.Info.Version)
	case agentcore.Answer:
		r.mu.Lock()
		r.values[e.Call] = e.Value
		r.mu.Unlock()
		value := ""
		if id, ok := e.Value.(string); ok {
			value = r.turn(id)
		}
		r.story.add("answer %d %s err=%v", e.Call, value, e.Err)
	case agentcore.TurnStarted:
		r.story.add("started %s", r.turn(e.Turn))
	case agentcore.TurnEnded:
		r.story.add("ended %s %s %q dropped=%q", r.turn(e.Turn), e.Status, e.Error, e.Dropped)
	case agentcore.ItemUpdated:
		r.story.add("item %s %s", r.turn(e.Turn), describeItem(e.Item))
	case agentcore.Taken:
		r.story.add("taken %s %s", r.turn(e.Turn), e.ClientID)
	case agentcore.PermissionRequested:
		r.mu.Lock()
		r.asks = append(r.asks, e.Request.ID)
		r.mu.Unlock()
		r.story.add("asked %s %s %s", r.turn(e.Turn), e.Request.Name, e.Request.Title)
	case agentcore.PermissionResolved:
		r.story.add("resolved %s allow=%v %s", r.turn(e.Turn), e.Response.Allow, e.Response.Message)
	case agentcore.SettingChanged:
		r.story.add("setting %s", e.Name)
	case agentcore.Notice:
		r.story.add("notice %s %s %s retry=%v", r.turn(e.Turn), e.Level, e.Text, e.Retry)
	case agentcore.Exited:
		r.story.add("session gone %v", e.Err)
		close(r.gone)
	}
}

func describeItem(i timeline.Item) string {
	switch i.Kind {
	case timeline.Tool:
		text := fmt.Sprintf("tool %s %s %q", i.Name, i.Status, i.Detail.Command+i.Detail.Path)
		if i.Detail.Kind == "sub_agent" {
			text += fmt.Sprintf(" %q", i.Detail.Output)
		}
		return text
	case timeline.Compaction:
		return fmt.Sprintf("compaction %s %s", i.Status, i.Trigger)
	}
	return fmt.Sprintf("%s %q final=%v", i.Kind, i.Text, i.Final)
}
