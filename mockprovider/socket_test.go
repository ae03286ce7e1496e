package mockprovider_test

import (
	"net/http"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// socket is a WebSocket client of a rig.
type socket struct {
	r *rig
	c *websocket.Conn
}

func (r *rig) dial(path string, opts ...func(*websocket.DialOptions)) (*socket, *http.Response, error) {
	o := &websocket.DialOptions{HTTPClient: r.client}
	for _, set := range opts {
		set(o)
	}
	c, resp, err := websocket.Dial(r.t.Context(), "ws://mock"+path, o)
	return &socket{r, c}, resp, err
}

func (r *rig) connect() *socket {
	s, _, err := r.dial("/v1/responses")
	require.NoError(r.t, err)
	return s
}

func (s *socket) send(members string, users ...string) {
	b := body(users...)
	msg := `{"type":"response.create",` + members + b[1:]
	require.NoError(s.r.t, s.c.Write(s.r.t.Context(), websocket.MessageText, []byte(msg)))
}

// next reads one event.
func (s *socket) next() gjson.Result {
	_, msg, err := s.c.Read(s.r.t.Context())
	require.NoError(s.r.t, err)
	return gjson.ParseBytes(msg)
}

// until reads events up to one of this type.
func (s *socket) until(kind string) []gjson.Result {
	var all []gjson.Result
	for {
		e := s.next()
		all = append(all, e)
		if e.Get("type").Str == kind {
			return all
		}
	}
}

func (s *socket) closed() error {
	_, _, err := s.c.Read(s.r.t.Context())
	return err
}

func last[T any](all []T) T { return all[len(all)-1] }
