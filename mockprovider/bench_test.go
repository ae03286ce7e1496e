package mockprovider_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"go.uber.org/goleak"

	mp "github.com/heldstream/heldstream/mockprovider"
)

var benchScript = &mp.Script{Replies: []mp.Reply{
	{To: mp.Turn, Match: mp.Match{User: &mp.Text{Contains: "holdme"}}, Holds: []mp.Hold{{Gate: "g", After: "response.created"}}},
	{To: mp.Turn, Say: []string{"Hello there, this is", " a short streamed re", "ply."}},
}}

// BenchmarkStreams measures complete streamed replies, 11 events with a flush
// each, over loopback: those of a Server, journal on, and those of the least
// that a Go server can do for the same client.
func BenchmarkStreams(b *testing.B) {
	b.Run("server", func(b *testing.B) {
		srv := &mp.Server{Script: benchScript}
		defer srv.Close()
		benchmarkStreams(b, srv)
	})
	b.Run("plain", func(b *testing.B) { benchmarkStreams(b, http.HandlerFunc(plain)) })
}

func benchmarkStreams(b *testing.B, h http.Handler) {
	hs := httptest.NewServer(h)
	defer hs.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}
	defer client.CloseIdleConnections()
	b.ReportAllocs()
	b.SetParallelism(max(1, 32/runtime.GOMAXPROCS(0)))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			resp, err := client.Post(hs.URL+"/v1/responses", "application/json", strings.NewReader(body("hello")))
			if err != nil {
				b.Error(err)
				return
			}
			if raw, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(raw), "response.completed") {
				b.Errorf("%v in %s", err, raw)
			}
			_ = resp.Body.Close()
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "replies/s")
}

// BenchmarkSockets is the same over WebSockets, one request after the other
// on each connection.
func BenchmarkSockets(b *testing.B) {
	srv := &mp.Server{Script: benchScript}
	hs := httptest.NewServer(srv)
	defer hs.Close()
	defer srv.Close()
	create := []byte(`{"type":"response.create",` + body("hello")[1:])
	b.SetParallelism(max(1, 32/runtime.GOMAXPROCS(0)))
	b.RunParallel(func(pb *testing.PB) {
		c, _, err := websocket.Dial(context.Background(), hs.URL+"/v1/responses", nil)
		if err != nil {
			b.Error(err)
			return
		}
		defer c.CloseNow()
		for pb.Next() {
			if err := oneReply(c, create); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "replies/s")
}

func oneReply(c *websocket.Conn, create []byte) error {
	ctx := context.Background()
	if err := c.Write(ctx, websocket.MessageText, create); err != nil {
		return err
	}
	for {
		_, msg, err := c.Read(ctx)
		if err != nil || gjson.GetBytes(msg, "type").Str == "response.completed" {
			return err
		}
	}
}

// BenchmarkHeldStreams opens streams that wait at a gate. It reports what one
// costs, server and client together, how long after the clients vanished the
// server has let go of the last, and what is then left of all of them.
func BenchmarkHeldStreams(b *testing.B) { benchmarkHeld(b, holdStreams) }

// BenchmarkHeldSockets is the same over WebSockets.
func BenchmarkHeldSockets(b *testing.B) { benchmarkHeld(b, holdSockets) }

func benchmarkHeld(b *testing.B, hold func(testing.TB, *httptest.Server, int) func()) {
	gone, conns := make(chan struct{}, b.N), make(chan struct{}, b.N)
	srv := &mp.Server{Script: benchScript, Observe: func(e mp.Event) {
		if e.Kind == mp.Gone {
			gone <- struct{}{}
		}
	}}
	hs := httptest.NewUnstartedServer(srv)
	hs.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateClosed || s == http.StateHijacked {
			conns <- struct{}{}
		}
	}
	hs.Start()
	defer hs.Close()
	defer srv.Close()
	goroutines, descriptors := runtime.NumGoroutine(), openDescriptors(b)
	before := inUse()
	leave := hold(b, hs, b.N)
	b.ReportMetric(float64(inUse()-before)/1024/float64(b.N), "KiB/stream")
	left := time.Now()
	leave()
	for range b.N {
		<-gone
		<-conns
	}
	b.ReportMetric(time.Since(left).Seconds()*1000, "ms-until-gone")
	b.ReportMetric(float64(runtime.NumGoroutine()-goroutines)/float64(b.N), "goroutines-left/stream")
	b.ReportMetric(float64(openDescriptors(b)-descriptors)/float64(b.N), "descriptors-left/stream")
}

func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// BenchmarkFirstReply makes a Server and gets its first reply.
func BenchmarkFirstReply(b *testing.B) {
	for range b.N {
		srv := &mp.Server{Script: benchScript}
		hs := httptest.NewServer(srv)
		resp, err := hs.Client().Post(hs.URL+"/v1/responses", "application/json", strings.NewReader(body("hello")))
		require.NoError(b, err)
		raw, err := io.ReadAll(resp.Body)
		require.NoError(b, err)
		require.Contains(b, string(raw), "response.completed")
		_ = resp.Body.Close()
		srv.Close()
		hs.Close()
	}
}

// holdStreams opens n streams that stand at the gate g, and returns what
// makes their clients leave.
func holdStreams(t testing.TB, hs *httptest.Server, n int) (leave func()) {
	ctx, cancel := context.WithCancel(context.Background())
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	var open []io.Closer
	for range n {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, hs.URL+"/v1/responses", strings.NewReader(body("holdme")))
		require.NoError(t, err)
		resp, err := client.Do(req)
		require.NoError(t, err)
		open = append(open, resp.Body)
	}
	return func() {
		cancel()
		for _, c := range open {
			_ = c.Close()
		}
		client.CloseIdleConnections()
	}
}

// holdSockets does the same over WebSockets.
func holdSockets(t testing.TB, hs *httptest.Server, n int) (leave func()) {
	create := []byte(`{"type":"response.create",` + body("holdme")[1:])
	var open []*websocket.Conn
	for range n {
		c, _, err := websocket.Dial(context.Background(), hs.URL+"/v1/responses", nil)
		require.NoError(t, err)
		require.NoError(t, c.Write(context.Background(), websocket.MessageText, create))
		_, _, err = c.Read(context.Background())
		require.NoError(t, err)
		open = append(open, c)
	}
	return func() {
		for _, c := range open {
			_ = c.CloseNow()
		}
	}
}

func TestVanishedClientsLeaveNothing(t *testing.T) {
	srv := &mp.Server{Script: benchScript}
	hs := httptest.NewServer(srv)
	defer hs.Close()
	defer srv.Close()
	const n = 50
	descriptors := openDescriptors(t)
	before := goleak.IgnoreCurrent()
	leave := holdStreams(t, hs, n)
	leaveSockets := holdSockets(t, hs, n)
	waitFor(t, srv, mp.Held, 2*n)
	require.Len(t, srv.Held("g"), 2*n)
	leave()
	leaveSockets()
	waitFor(t, srv, mp.Gone, 2*n)
	require.Empty(t, srv.Held("g"))
	srv.Close()
	hs.Close()
	// Not their number at this moment: what a Close has ended may still be on its
	// way out, and closes its connection there.
	goleak.VerifyNone(t, before)
	require.LessOrEqual(t, openDescriptors(t), descriptors)
}

// waitFor returns once n events of a kind have happened.
func waitFor(t *testing.T, srv *mp.Server, kind mp.EventKind, n int) {
	t.Helper()
	after := int64(0)
	for range n {
		e, err := srv.Journal().Wait(t.Context(), after, func(e mp.Entry) bool { return e.Kind == kind })
		require.NoError(t, err)
		after = e.Cursor
	}
}

func openDescriptors(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("this system does not list descriptors")
	}
	return len(entries)
}
