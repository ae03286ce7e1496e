package mockprovider_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	mp "github.com/heldstream/heldstream/mockprovider"
)

func TestPlainJSON(t *testing.T) {
	inBubble(t, &mp.Server{Script: sayN}, func(t *testing.T, r *rig) {
		got := r.send("POST", "/v1/responses", `{"model":"m","input":"hello"}`)
		require.Equal(t, "application/json", got.header.Get("Content-Type"))
		require.Equal(t, "completed", gjson.Get(got.raw, "status").Str)
		require.Equal(t, "reply 1", gjson.Get(got.raw, "output.0.content.0.text").Str)
		require.Equal(t, []string{"hello"}, r.seen()[0].Exchange.UserTexts)
		require.Equal(t, "json", r.seen()[0].Exchange.Transport)
	})
}

func TestFraming(t *testing.T) {
	reply := mp.Reply{To: mp.Turn, Say: []string{"grüße"}}
	base := func() mp.Reply { return reply }
	for _, tt := range []struct {
		name  string
		frame mp.Frame
		has   string
		lacks string
	}{
		{"plain", mp.Frame{}, "event: response.created\ndata: {", "\r"},
		{"one byte a write", mp.Frame{Chunk: 1}, "", ""},
		{"crlf", mp.Frame{CRLF: true, Chunk: 7}, "event: response.created\r\ndata: {", ""},
		{"no event lines", mp.Frame{NoEventLines: true}, "data: {", "event:"},
		{"done", mp.Frame{Done: true}, "data: [DONE]\n\n", ""},
		{"comments", mp.Frame{Comments: &mp.Comments{Times: 2, Before: "response.completed"}}, ": heartbeat\n\n: heartbeat\n\nevent: response.completed", ""},
		{"coalesced", mp.Frame{Coalesce: 100}, "event: response.completed", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := base()
			r.Frame = tt.frame
			inBubble(t, &mp.Server{Script: &mp.Script{Replies: []mp.Reply{r}}}, func(t *testing.T, r *rig) {
				got := r.ask(main1, "a")
				require.NoError(t, got.err)
				require.Contains(t, got.raw, tt.has)
				if tt.lacks != "" {
					require.NotContains(t, got.raw, tt.lacks)
				}
				n := len(got.events)
				if tt.frame.Done {
					n--
				}
				require.Equal(t, 9, n)
				require.Equal(t, "grüße", gjson.GetBytes(got.events[n-1].Data, "response.output.0.content.0.text").Str)
			})
		})
	}
}

func TestDelaysAndHeartbeatsUseOneClock(t *testing.T) {
	reply := mp.Reply{To: mp.Turn, Delay: time.Minute, Frame: mp.Frame{Comments: &mp.Comments{Times: 3, Every: time.Hour, Before: "response.completed"}}}
	inBubble(t, &mp.Server{Script: &mp.Script{Replies: []mp.Reply{reply}}}, func(t *testing.T, r *rig) {
		start := time.Now()
		require.NoError(t, r.ask(main1, "a").err)
		require.Equal(t, 3*time.Hour+3*time.Minute, time.Since(start), "three events, three heartbeats")
	})
}

func TestCuts(t *testing.T) {
	for _, tt := range []struct {
		name string
		cut  mp.Cut
		want string // what the client had
		fail bool   // before the headers
	}{
		{"before the headers", mp.Cut{}, "", true},
		{"after the headers", mp.Cut{After: "headers"}, "", false},
		{"after an event", mp.Cut{After: "response.created", How: "reset"}, "created", false},
		{"after bytes", mp.Cut{Bytes: 30}, "event: response.created\ndata: ", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, &mp.Server{Script: &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Cut: &tt.cut}}}}, func(t *testing.T, r *rig) {
				got := r.ask(main1, "a")
				require.Error(t, got.err)
				require.Equal(t, tt.fail, got.status == 0)
				if tt.cut.Bytes > 0 {
					require.Equal(t, tt.want, got.raw)
				} else {
					require.Equal(t, tt.want, strings.Join(got.types(), " "))
				}
				log := r.takeLog()
				require.Equal(t, "#1 ended cut", log[len(log)-1])
			})
		})
	}
}

func TestEachEventIsFlushedByItself(t *testing.T) {
	const events = 9 // created, in_progress, item, part, delta, and four that end what they began
	srv := &mp.Server{Script: &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Say: []string{"hi"}}}}}
	defer srv.Close()
	w := &flushes{nowhere: nowhere{http.Header{}}}
	srv.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/responses", strings.NewReader(body("a"))))
	require.Empty(t, w.pending)
	require.Len(t, w.flushed, events)
	for _, one := range w.flushed {
		require.Equal(t, 1, strings.Count(one, "event: "))
	}
	require.Contains(t, w.flushed[events-1], "response.completed")
}

// flushes keeps what each flush took along.
type flushes struct {
	nowhere
	pending string
	flushed []string
}

func (f *flushes) Write(b []byte) (int, error) {
	f.pending += string(b)
	return len(b), nil
}

func (f *flushes) Flush() {
	f.flushed = append(f.flushed, f.pending)
	f.pending = ""
}
