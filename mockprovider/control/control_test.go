package control_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.uber.org/goleak"

	mp "github.com/heldstream/heldstream/mockprovider"
	"github.com/heldstream/heldstream/mockprovider/control"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const question = `{"model":"m","stream":true,"input":"hello"}`

type site struct {
	t   *testing.T
	url string
	c   *http.Client
	srv *mp.Server
}

func serve(t *testing.T, token string, script *mp.Script) *site {
	srv := &mp.Server{Script: script}
	hs := httptest.NewServer(&control.Handler{Server: srv, Token: token})
	t.Cleanup(func() { srv.Close(); hs.Close() })
	return &site{t, hs.URL, hs.Client(), srv}
}

func (s *site) do(method, path, body string, set ...func(*http.Request)) (int, string) {
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(s.t, err)
	for _, f := range set {
		f(req)
	}
	resp, err := s.c.Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return resp.StatusCode, string(raw)
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

var held = &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Holds: []mp.Hold{{Gate: "g"}}}, {To: mp.Review, Times: 1}}}

func TestSteersAHeldReply(t *testing.T) {
	s := serve(t, "", held)
	answered := make(chan string, 1)
	go func() {
		_, raw := s.do("POST", "/v1/responses", question, header("Authorization", "Bearer secret"), header("api-key", "secret"))
		answered <- raw
	}()
	_, e := s.do("GET", "/_replay/journal?kind=held&wait=30s", "")
	require.Equal(t, "g", gjson.Get(e, "entries.0.gate").Str)
	require.Equal(t, "turn", gjson.Get(e, "entries.0.class").Str)
	require.Equal(t, "no other sign", gjson.Get(e, "entries.0.why").Str)
	_, gates := s.do("GET", "/_replay/gates", "")
	require.JSONEq(t, `{"g":1}`, gates)
	_, state := s.do("GET", "/_replay/state", "")
	require.Equal(t, "reply[1]", gjson.Get(state, "unused.0.path").Str)
	_, released := s.do("POST", "/_replay/release", `{"gate":"g"}`)
	require.JSONEq(t, `{"released":1}`, released)
	require.Contains(t, <-answered, "response.completed")

	_, all := s.do("GET", "/_replay/journal?limit=2", "")
	require.EqualValues(t, 2, gjson.Get(all, "entries.#").Int())
	_, after := s.do("GET", "/_replay/journal?kind=released&after="+gjson.Get(all, "next").Raw, "")
	require.EqualValues(t, 1, gjson.Get(after, "entries.#").Int())
	_, x := s.do("GET", "/_replay/exchanges/1", "")
	require.Equal(t, "hello", gjson.Get(x, "body.input").Str)
	require.NotContains(t, x, "secret")
	status, _ := s.do("POST", "/_replay/reset", "")
	require.Equal(t, 200, status)
}

func TestRefusesWrongOrders(t *testing.T) {
	s := serve(t, "", held)
	for _, tt := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"POST", "/_replay/release", `{`, 400, "a release is a JSON object"},
		{"POST", "/_replay/release", `{"gaet":"g"}`, 400, "gaet"},
		{"POST", "/_replay/release", `{}`, 400, "needs the name"},
		{"POST", "/_replay/release", `{"gate":"g","with":"bang"}`, 400, "failed:CODE or cut"},
		{"GET", "/_replay/release", ``, 405, "release takes POST, not GET"},
		{"GET", "/_replay/journal?after=x", ``, 400, "after and limit are numbers"},
		{"GET", "/_replay/journal?wait=1ms&gate=never", ``, 504, "within 1ms"},
		{"GET", "/_replay/exchanges/9", ``, 404, "no exchange"},
		{"GET", "/_replay/nothing", ``, 404, "GET journal"},
	} {
		t.Run(tt.path+tt.body, func(t *testing.T) {
			status, raw := s.do(tt.method, tt.path, tt.body)
			require.Equal(t, tt.status, status)
			require.Contains(t, raw, tt.says)
		})
	}
}

func TestWhoMaySteer(t *testing.T) {
	host := func(h string) func(*http.Request) { return func(r *http.Request) { r.Host = h } }
	nothing := func(*http.Request) {}
	for _, tt := range []struct {
		name, token string
		with        func(*http.Request)
		status      int
	}{
		{"a program on this machine", "", nothing, 200},
		{"a name that resolves to loopback", "", host("evil.example:80"), 403},
		{"localhost", "", host("localhost:1"), 200},
		{"a web page", "", header("Origin", "https://evil.example"), 403},
		{"a page without origin", "", header("Sec-Fetch-Site", "cross-site"), 403},
		{"no token", "t", nothing, 401},
		{"wrong token", "t", header("Authorization", "Bearer u"), 401},
		{"token", "t", header("Authorization", "Bearer t"), 200},
		{"a page of this machine", "", header("Origin", "http://localhost:3000"), 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.token, held)
			status, _ := s.do("GET", "/_replay/state", "", tt.with)
			require.Equal(t, tt.status, status)
			if tt.status != 401 { // who is a stranger here uses up no reply either
				asked, _ := s.do("GET", "/v1/models", "", tt.with)
				require.Equal(t, tt.status, asked)
			}
		})
	}
	t.Run("another address without a token", func(t *testing.T) {
		w := httptest.NewRecorder() // its requests come in at no loopback address
		(&control.Handler{Server: &mp.Server{}}).ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/_replay/state", nil))
		require.Equal(t, 403, w.Code)
	})
}

func TestReload(t *testing.T) {
	dir := t.TempDir()
	path, part := filepath.Join(dir, "script"), filepath.Join(dir, "parts", "part")
	require.NoError(t, os.Mkdir(filepath.Dir(part), 0o700))
	replace := func(path, text string) {
		require.NoError(t, os.WriteFile(path+".new", []byte(text), 0o600))
		require.NoError(t, os.Rename(path+".new", path))
	}
	put := func(text string) { replace(path, text) }
	put("first")
	files := func() []string {
		if text, err := os.ReadFile(path); err == nil && string(text) == "include" {
			return []string{path, part}
		}
		return []string{path}
	}
	load := func() (*mp.Script, error) {
		text, err := os.ReadFile(path)
		if string(text) == "include" {
			text, err = os.ReadFile(part)
		}
		if string(text) == "broken" {
			err = errors.New("line 1: broken")
		}
		class := mp.Turn
		if string(text) == "faulty" {
			class = "tern"
		}
		return &mp.Script{Replies: []mp.Reply{{To: class, Say: []string{string(text)}}}}, err
	}
	first, err := load()
	require.NoError(t, err)
	s := serve(t, "", first)
	says := func() string { _, raw := s.do("POST", "/v1/responses", question); return raw }
	require.Contains(t, says(), `"first"`)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := control.NewReloader(s.srv, files, load)
	require.NoError(t, err)
	reports, done := make(chan error), make(chan error)
	go func() { done <- r.Run(ctx, func(err error) { reports <- err }) }()
	put("second")
	require.NoError(t, <-reports)
	require.Contains(t, says(), `"second"`)
	put("broken")
	require.ErrorContains(t, <-reports, "line 1: broken")
	put("faulty")
	require.ErrorContains(t, <-reports, "reply[0].to")
	require.Contains(t, says(), `"second"`, "the old script stays")
	replace(part, "third")
	put("include")
	require.NoError(t, <-reports)
	require.Contains(t, says(), `"third"`)
	replace(part, "fourth")
	require.NoError(t, <-reports)
	require.Contains(t, says(), `"fourth"`, "what it includes now is watched")
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestStateCountsBreaches(t *testing.T) {
	s := serve(t, "", &mp.Script{Replies: []mp.Reply{{To: mp.Turn}}})
	s.do("GET", "/v1/nothing", "")
	s.do("POST", "/v1/responses", `{"input":[{"type":"function_call_output","call_id":"c","output":"x"}]}`)
	count := func() string {
		_, state := s.do("GET", "/_replay/state", "")
		return gjson.Get(state, "unmatched").Raw + " " + gjson.Get(state, "violations").Raw
	}
	require.Equal(t, "1 1", count())
	s.do("POST", "/_replay/reset", "")
	require.Equal(t, "0 0", count())
}

func TestAWaitSaysWhatItMissed(t *testing.T) {
	srv := &mp.Server{Script: &mp.Script{}, Limits: mp.Limits{Journal: 3}}
	hs := httptest.NewServer(&control.Handler{Server: srv})
	t.Cleanup(func() { srv.Close(); hs.Close() })
	s := &site{t, hs.URL, hs.Client(), srv}
	s.do("GET", "/v1/models", "")
	s.do("GET", "/v1/models", "")
	_, page := s.do("GET", "/_replay/journal?wait=1s", "")
	_, all := s.do("GET", "/_replay/journal", "")
	require.Positive(t, gjson.Get(all, "dropped").Int())
	require.Equal(t, gjson.Get(all, "dropped").Int(), gjson.Get(page, "dropped").Int())
}
