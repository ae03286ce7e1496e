package tape

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/klauspost/compress/zstd"

	"github.com/heldstream/heldstream/internal/sse"
)

// frame is one thing that the provider tells: headers, an event, a body, the
// end of a body.
type frame struct {
	name string
	data []byte
}

// answer takes the provider's answer to a request in-process: what the provider
// writes is parsed at once, so that nothing is ever on its way.
type answer struct {
	header http.Header
	stream bool // an event stream; else one body
	post   func([]frame)
	begun  bool
	events sse.Decoder
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

// Flush is what a provider that streams needs to find.
func (a *answer) Flush() {}

func (a *answer) WriteHeader(int) {
	if a.begun {
		return
	}
	a.begun = true
	a.post([]frame{{name: Headers}})
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if !a.stream {
		if a.body.Len()+len(p) > maxValues {
			return 0, fmt.Errorf("an answer of more than %d bytes", maxValues)
		}
		return a.body.Write(p)
	}
	events, err := a.events.Write(p)
	var frames []frame
	for _, e := range events {
		if string(e.Data) != "[DONE]" { // ends what has ended already
			frames = append(frames, frame{e.Type, e.Data})
		}
	}
	if len(frames) > 0 {
		a.post(frames)
	}
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// finish tells how the answer ended.
func (a *answer) finish(broken bool) {
	var frames []frame
	switch {
	case broken:
		frames = []frame{{name: Broken}}
	case a.stream:
		frames = []frame{{name: End}}
	default:
		frames = []frame{{name: Body, data: a.body.Bytes()}, {name: End}}
	}
	a.post(frames)
}

// serve asks the provider and returns when it is done with the request.
func serve(h http.Handler, r *http.Request, a *answer) {
	broken := true
	defer func() {
		if e := recover(); e != nil && e != http.ErrAbortHandler { //nolint:errorlint // it is that value
			panic(e)
		}
		a.finish(broken)
	}()
	h.ServeHTTP(a, r)
	a.WriteHeader(http.StatusOK)
	broken = false
}

// newRequest makes the recorded request anew.
func newRequest(ctx context.Context, w Wire, body []byte) (*http.Request, error) {
	if w.Header["Content-Encoding"] != nil {
		packed, err := compress(w.Header["Content-Encoding"][0], body)
		if err != nil {
			return nil, err
		}
		body = packed
	}
	r, err := http.NewRequestWithContext(ctx, w.Method, "http://127.0.0.1"+w.Path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = http.Header(w.Header).Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.RequestURI, r.RemoteAddr = w.Path, "127.0.0.1:1"
	return r, nil
}

func compress(encoding string, body []byte) ([]byte, error) {
	if encoding != "zstd" {
		return nil, fmt.Errorf("content encoding %.20q is not known", encoding)
	}
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		return nil, err
	}
	return enc.EncodeAll(body, nil), enc.Close()
}
