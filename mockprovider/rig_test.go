package mockprovider_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/heldstream/heldstream/internal/memnet"
	"github.com/heldstream/heldstream/internal/sse"
	mp "github.com/heldstream/heldstream/mockprovider"
)

func (r *rig) send(method, path, body string, headers ...string) reply {
	req, err := http.NewRequestWithContext(context.Background(), method, "http://mock"+path, strings.NewReader(body))
	require.NoError(r.t, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return r.do(req)
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a Server on a network in memory, within a synctest bubble, and a log
// of what it observed.
type rig struct {
	t      *testing.T
	srv    *mp.Server
	client *http.Client
	agent  string // to ask as; "": main
	mu     sync.Mutex
	log    []string
	events []mp.Event
}

func inBubble(t *testing.T, srv *mp.Server, test func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, srv: srv}
		srv.Observe = r.observe
		l := memnet.Listen()
		tr := &http.Transport{DialContext: l.Dial, DisableCompression: true}
		r.client = &http.Client{Transport: tr}
		hs := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if r.agent == "" {
				srv.ServeHTTP(w, q)
			} else {
				srv.For(r.agent).ServeHTTP(w, q)
			}
		})}
		go func() { _ = hs.Serve(l) }()
		defer func() {
			srv.Close()
			tr.CloseIdleConnections()
			_ = hs.Shutdown(context.Background()) // net/http lingers on refused bodies
			_ = l.Close()
		}()
		test(t, r)
	})
}

func (r *rig) observe(e mp.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
	r.log = append(r.log, describe(e))
}

func describe(e mp.Event) string {
	x := e.Exchange
	switch e.Kind {
	case mp.Arrived:
		return fmt.Sprintf("#%d arrived %s %d.%d reply %d", x.ID, x.Class, x.N, x.Try, x.Reply)
	case mp.Held, mp.Released:
		return strings.TrimSpace(fmt.Sprintf("#%d %s %s %s", x.ID, e.Kind, e.Gate, e.What))
	case mp.Sent:
		return fmt.Sprintf("#%d > %s", x.ID, strings.TrimPrefix(e.What, "response."))
	case mp.Unmatched, mp.Violation, mp.Ended:
		return strings.TrimSpace(fmt.Sprintf("#%d %s %s", x.ID, e.Kind, e.Text))
	}
	return fmt.Sprintf("#%d %s", x.ID, e.Kind)
}

// takeLog returns what was observed since the last call, once all goroutines
// wait.
func (r *rig) takeLog() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	log := r.log
	r.log = nil
	return log
}

// seen returns all that was observed, once all goroutines wait.
func (r *rig) seen() []mp.Event {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

type codex struct{ thread, turn, kind string }

func (c codex) set(h http.Header) {
	h.Set("x-codex-turn-metadata", fmt.Sprintf(`{"thread_id":%q,"turn_id":%q,"request_kind":%q}`, c.thread, c.turn, c.kind))
}

func body(users ...string) string {
	var items []string
	for _, u := range users {
		items = append(items, fmt.Sprintf(`{"type":"message","role":"user","content":[{"type":"input_text","text":%q}]}`, u))
	}
	return `{"model":"m","stream":true,"input":[` + strings.Join(items, ",") + `]}`
}

type reply struct {
	status int
	header http.Header
	events []sse.Event
	raw    string
	err    error
}

func (r reply) types() []string {
	var ts []string
	for _, e := range r.events {
		ts = append(ts, strings.TrimPrefix(e.Type, "response."))
	}
	return ts
}

func (r *rig) post(ctx context.Context, as codex, body string) reply {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://mock/v1/responses", strings.NewReader(body))
	require.NoError(r.t, err)
	if as != (codex{}) {
		as.set(req.Header)
	}
	return r.do(req)
}

func (r *rig) do(req *http.Request) reply {
	resp, err := r.client.Do(req)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	var d sse.Decoder
	events, _ := d.Write(raw)
	return reply{resp.StatusCode, resp.Header, events, string(raw), err}
}

func (r *rig) ask(as codex, users ...string) reply {
	return r.post(context.Background(), as, body(users...))
}

// start asks in the background; what came is in the channel afterwards.
func (r *rig) start(ctx context.Context, as codex, users ...string) <-chan reply {
	c := make(chan reply, 1)
	go func() { c <- r.post(ctx, as, body(users...)) }()
	synctest.Wait()
	return c
}

var main1 = codex{"T", "1", "turn"}

var sayN = &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Say: []string{"reply ${n}"}}}}
