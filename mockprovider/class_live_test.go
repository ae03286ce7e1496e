package mockprovider_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	mp "github.com/heldstream/heldstream/mockprovider"
)

// liveDeadline is for a codex that hangs; it answers within a second.
const liveDeadline = 30 * time.Second

// appServer is a real codex with a Server behind it, asked in its own words.
type appServer struct {
	t     *testing.T
	in    io.Writer
	lines *bufio.Scanner
	ids   int
}

// startCodex runs the codex of CODEX_BIN. The name decides how it compacts.
func startCodex(t *testing.T, srv *mp.Server, name string, sockets bool) *appServer {
	t.Helper()
	bin := os.Getenv("CODEX_BIN")
	if bin == "" && os.Getenv("HELDSTREAM_LIVE") == "1" {
		t.Fatal("HELDSTREAM_LIVE=1 demands live tests: set CODEX_BIN to a codex binary")
	}
	if bin == "" {
		t.Skip("needs the real codex: set CODEX_BIN to its path")
	}
	hs := httptest.NewServer(srv)
	t.Cleanup(func() { srv.Close(); hs.Close() })
	home := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, "config.toml"), []byte(codexConfig(name, hs.URL, sockets)), 0o600))
	cmd := exec.Command(bin, "app-server")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"CODEX_HOME=" + home, "HOME=" + home, "PATH=/usr/bin:/bin", "HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1"}
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	hangs := time.AfterFunc(liveDeadline, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		hangs.Stop()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	a := &appServer{t: t, in: in, lines: bufio.NewScanner(out)}
	a.lines.Buffer(nil, 16<<20)
	return a
}

func codexConfig(name, url string, sockets bool) string {
	return fmt.Sprintf(`
model = "mock-model"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
analytics.enabled = false
features.apps = false
features.plugins = false
[model_providers.mock]
name = %q
base_url = "%s/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = %v
`, name, url, sockets)
}

// call asks and returns the result. What else comes before it is passed over.
func (a *appServer) call(method, params string) gjson.Result {
	a.t.Helper()
	a.ids++
	a.write(fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`, a.ids, method, params))
	id := a.ids
	got := a.until(func(m gjson.Result) bool { return m.Get("id").Int() == int64(id) && !m.Get("method").Exists() })
	require.False(a.t, got.Get("error").Exists(), got.Raw)
	return got.Get("result")
}

func (a *appServer) write(line string) {
	_, err := io.WriteString(a.in, line+"\n")
	require.NoError(a.t, err)
}

func (a *appServer) until(is func(gjson.Result) bool) gjson.Result {
	a.t.Helper()
	var seen []string
	for a.lines.Scan() {
		if m := gjson.ParseBytes(a.lines.Bytes()); is(m) {
			return gjson.Parse(m.Raw)
		}
		seen = append(seen, a.lines.Text())
	}
	a.t.Fatalf("codex ended, or was too slow; it said\n%s", strings.Join(seen, "\n"))
	return gjson.Result{}
}

// thread opens a conversation and returns its id as JSON members.
func (a *appServer) thread() string {
	a.t.Helper()
	a.call("initialize", `{"clientInfo":{"name":"test","title":"test","version":"1"},"capabilities":{"experimentalApi":true}}`)
	a.write(`{"method":"initialized"}`)
	id := a.call("thread/start", `{}`).Get("thread.id").Str
	require.NotEmpty(a.t, id)
	q, _ := json.Marshal(id)
	return `"threadId":` + string(q)
}

// turn asks for something that is a turn, and waits until that has ended.
func (a *appServer) turn(method, thread, more string) {
	a.t.Helper()
	a.call(method, "{"+thread+more+"}")
	done := a.until(func(m gjson.Result) bool {
		return m.Get("method").Str == "turn/completed" && strings.Contains(thread, m.Get("params.threadId").Str)
	})
	require.Equal(a.t, "completed", done.Get("params.turn.status").Str, done.Raw)
}

const sayHello = `,"input":[{"type":"text","text":"hello"}]`

// classes are those of the requests so far, each with why it is one.
func classes(srv *mp.Server) []string {
	entries, _ := srv.Journal().Read(0, 1<<20)
	var all []string
	for _, e := range entries {
		if e.Kind == mp.Arrived || e.Kind == mp.Unmatched {
			all = append(all, fmt.Sprintf("%s: %s", e.Exchange.Class, e.Exchange.Why))
		}
	}
	return all
}

func TestLiveClasses(t *testing.T) {
	srv := &mp.Server{Script: &mp.Script{Replies: []mp.Reply{
		{To: mp.AnyCompaction, Say: []string{"SUMMARY"}},
		{To: mp.Review, Say: []string{`{"findings":[],"overall_correctness":"patch is correct","overall_explanation":"x","overall_confidence_score":1}`}},
		{To: mp.Subagent, Say: []string{"child"}},
		{To: mp.Turn, Say: []string{"hi"}},
	}}}
	a := startCodex(t, srv, "Mock", false)
	thread := a.thread()
	a.turn("turn/start", thread, sayHello)
	a.turn("thread/compact/start", thread, "")
	a.turn("review/start", thread, `,"target":{"type":"custom","instructions":"look"}`)
	require.Equal(t, []string{"turn: no other sign", "compaction.inline: request_kind", "review: sub-agent review"}, classes(srv))
}

func TestLiveSubagentClass(t *testing.T) {
	srv := &mp.Server{Script: &mp.Script{Replies: []mp.Reply{
		{To: mp.Subagent, Say: []string{"child"}},
		{To: mp.Turn, Times: 1, Call: []mp.Call{{Tool: "spawn_agent", Namespace: "multi_agent_v1", Args: json.RawMessage(`{"message":"do it"}`)}}},
		{To: mp.Turn, Holds: []mp.Hold{{Gate: "parent"}}},
	}}}
	a := startCodex(t, srv, "Mock", false)
	thread := a.thread()
	a.call("turn/start", "{"+thread+sayHello+"}")
	_, err := srv.Journal().Wait(t.Context(), 0, func(e mp.Entry) bool { return e.Kind == mp.Ended && e.Exchange.Class == mp.Subagent })
	require.NoError(t, err)
	require.Contains(t, classes(srv), "subagent: sub-agent collab_spawn")
}

func TestLiveClassesOverWebSocket(t *testing.T) {
	srv := &mp.Server{Script: &mp.Script{Replies: []mp.Reply{
		{To: mp.AnyCompaction, Say: []string{"SUMMARY"}},
		{To: mp.Turn, Say: []string{"hi"}},
	}}}
	a := startCodex(t, srv, "OpenAI", true)
	thread := a.thread()
	a.turn("turn/start", thread, sayHello)
	a.turn("thread/compact/start", thread, "")
	require.Equal(t, []string{"prewarm: generate is false", "turn: no other sign", "compaction.v2: compaction_trigger item"}, classes(srv))
}
