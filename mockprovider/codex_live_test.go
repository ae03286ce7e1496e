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

	"github.com/heldstream/heldstream/internal/codexbin"
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

// findCodex finds a version; "" is that of CODEX_BIN. Others need not be there:
// who has one has installed it for the sake of such a test.
func findCodex(t *testing.T, version string) string {
	t.Helper()
	bin := os.Getenv("CODEX_BIN")
	switch {
	case version != "":
		store, err := codexbin.Open(nil)
		require.NoError(t, err)
		if bin, err = store.Path(version); err != nil {
			t.Skip(err)
		}
	case bin == "" && os.Getenv("HELDSTREAM_LIVE") == "1":
		t.Fatal("HELDSTREAM_LIVE=1 demands live tests: set CODEX_BIN to a codex binary")
	case bin == "":
		t.Skip("needs the real codex: set CODEX_BIN to its path")
	}
	return bin
}

// client is the codex that a test runs: its version ("": that of CODEX_BIN),
// the provider's name, which decides how it compacts, and features.
type client struct {
	version, name string
	sockets       bool
	features      string // lines of config.toml
}

func startCodex(t *testing.T, srv *mp.Server, c client) *appServer {
	t.Helper()
	bin := findCodex(t, c.version)
	hs := httptest.NewServer(srv)
	t.Cleanup(func() { srv.Close(); hs.Close() })
	home := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(home, "config.toml"), []byte(c.config(hs.URL)), 0o600))
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

func (c client) config(url string) string {
	return fmt.Sprintf(`
model = "mock-model"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
analytics.enabled = false
features.apps = false
features.plugins = false
%s
[model_providers.mock]
name = %q
base_url = "%s/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = %v
`, c.features, c.name, url, c.sockets)
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
