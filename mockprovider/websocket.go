package mockprovider

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/coder/websocket"
	"github.com/tidwall/gjson"
)

// wsConn is one WebSocket connection.
type wsConn struct {
	s      *Server
	agent  string
	number int
	r      *http.Request // the handshake
	c      *websocket.Conn
	raw    net.Conn
	past   pasts
	lanes  lanes
}

func isWebSocket(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

func isRealtime(path string) bool { return strings.HasSuffix(path, "/realtime") }

// serveWebSocket accepts a connection, as the script has it, and leaves it to
// a goroutine of its own: the one that net/http serves with holds on to four
// buffers that a connection taken from it needs no more, and there may be
// thousands.
func (s *Server) serveWebSocket(agent string, w http.ResponseWriter, r *http.Request) {
	up := s.upgrade()
	if up.Status != 0 || up.How == "hang" || !s.servesSocket(r.URL.Path) {
		ctx, stop := s.within(r.Context())
		defer stop()
		s.refuseUpgrade(ctx, agent, w, r, up)
		return
	}
	if c := s.accept(agent, w, r, up); c != nil {
		ctx := context.WithoutCancel(r.Context()) // it ends when we return
		s.wg.Go(func() { c.run(ctx, up.How) })
	}
}

// run serves the connection until it is closed.
func (c *wsConn) run(ctx context.Context, how string) {
	ctx, stop := c.s.within(ctx)
	defer stop()
	defer func() { _ = c.c.CloseNow() }()
	// A good-bye that waits for the client's answer must not keep the Server.
	defer context.AfterFunc(c.s.closed, func() { _ = c.raw.Close() })()
	switch how {
	case "reset":
		breakConn(c.raw, "reset")
	case "silent":
		<-c.c.CloseRead(ctx).Done()
	default:
		c.serve(ctx)
	}
}

func (s *Server) servesSocket(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if isRealtime(path) {
		return s.script != nil && s.script.Realtime != nil
	}
	return strings.HasSuffix(path, "/responses")
}

// upgrade is what the next handshake gets.
func (s *Server) upgrade() Upgrade {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.script == nil || s.script.Upgrade == nil {
		return Upgrade{}
	}
	s.state.handshakes++
	up := *s.script.Upgrade
	if up.Times > 0 && s.state.handshakes > up.Times {
		return Upgrade{Headers: up.Headers}
	}
	return up
}

// refuseUpgrade answers a handshake with a status, or never.
func (s *Server) refuseUpgrade(ctx context.Context, agent string, w http.ResponseWriter, r *http.Request, up Upgrade) {
	q := &request{agent: agent, transport: transportJSON, method: r.Method, path: r.URL.Path, header: r.Header, top: &members{}}
	t := s.begin(ctx, q)
	defer t.cancel()
	t.x.Class, t.x.Why, t.x.failing = Handshake, "the script refuses the upgrade", true
	t.x.Transport = transportWebSocket
	told := Event{Kind: Arrived, Exchange: t.x.Exchange}
	if up.Status == 0 && up.How != "hang" {
		told.Kind, told.Text = Unmatched, "the script serves no WebSocket at "+r.URL.Path
	}
	status := or(up.Status, http.StatusNotFound)
	t.refuse(refuse(status, "upgrade_refused", "the mock provider refuses this WebSocket"))
	if up.How == "hang" {
		t.steps = []step{{kind: stepForever}}
	}
	s.update(func(st *state) []Event {
		s.admit(t)
		st.number(t.x)
		return []Event{told}
	})
	t.play(newHTTPStream(w, nil, s.lim.Write))
}

// accept makes the handshake.
func (s *Server) accept(agent string, w http.ResponseWriter, r *http.Request, up Upgrade) *wsConn {
	for k, v := range up.Headers {
		w.Header().Set(k, v)
	}
	tap := &hijackTap{ResponseWriter: w}
	// Without context takeover a connection at rest costs no compressor.
	c, err := websocket.Accept(tap, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionNoContextTakeover})
	if err != nil {
		return nil // Accept has answered
	}
	c.SetReadLimit(s.lim.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.connections++
	return &wsConn{s: s, agent: agent, number: s.state.connections, r: r, c: c, raw: tap.conn, past: pasts{}}
}

// hijackTap keeps the connection that is taken from the server, for resets.
type hijackTap struct {
	http.ResponseWriter
	conn net.Conn
}

func (h *hijackTap) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	h.conn = conn
	if err == nil && rw.Reader.Buffered() == 0 {
		// Smaller than the server's: there may be thousands.
		rw = bufio.NewReadWriter(bufio.NewReaderSize(conn, 512), bufio.NewWriterSize(conn, 1024))
	}
	return conn, rw, err
}

// serve reads frames until the connection ends, and then waits for the lanes.
func (c *wsConn) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer c.lanes.wait()
	defer cancel()
	for {
		kind, msg, err := c.c.Read(ctx)
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			_ = c.c.Close(websocket.StatusUnsupportedData, "only text frames are known")
			return
		}
		if !c.message(ctx, msg) {
			_ = c.c.Close(websocket.StatusPolicyViolation, "too many requests wait on this connection")
			return
		}
	}
}

// message queues a request on its lane. Other frames, which clients send to
// inform, ask for nothing. It is false when too many requests wait.
func (c *wsConn) message(ctx context.Context, msg []byte) bool {
	q, bad := newRequest(c.agent, transportWebSocket, c.r, msg)
	q.conn, q.lane = c.number, q.top.lane.Str
	switch kind := q.top.kind.Str; {
	case bad != nil:
	case isRealtime(q.path) && kind == "session.update":
	case isRealtime(q.path) || kind != "response.create":
		return true
	}
	return c.lanes.queue(q.lane, func() { c.answer(ctx, q, bad) })
}

// answer plays the answer to one request.
func (c *wsConn) answer(ctx context.Context, q *request, bad *refusal) {
	if bad == nil && q.previous != "" {
		q.past = c.past.get(q.previous)
		if q.past == nil {
			q.refused = refuse(http.StatusBadRequest, "previous_response_not_found", "Previous response with id '%s' not found.", q.previous)
		}
	}
	t := c.s.take(ctx, q, c.r, bad)
	defer t.cancel()
	w := &wsStream{c: c, ctx: t.ctx, slow: deadline{limit: c.s.lim.Write}, told: func() { c.s.cutting(t.x) }, keep: q.refused != nil, learn: func() { c.past.learn(q, t) }}
	t.play(w)
	if t.x.failing {
		c.past.forget(q)
	}
	if w.goodbye != 0 {
		// Only now: it waits for the client's answer, which the end of the
		// exchange must not.
		_ = c.c.Close(w.goodbye, "")
	}
}

// wsStream answers over a WebSocket: one event, one message.
type wsStream struct {
	c    *wsConn
	ctx  context.Context
	keep bool // an error leaves the connection open

	slow    deadline
	told    func()               // before the connection is cut
	learn   func()               // the response may be built upon from now on
	goodbye websocket.StatusCode // the connection is to be closed with it
}

func (w *wsStream) shows(kind stepKind) bool { return kind == stepEvent || kind == stepBody }

func (w *wsStream) headers(int, map[string]string) error { return nil }

func (w *wsStream) event(kind string, data []byte) error {
	if kind == "response.completed" {
		w.learn() // first: another lane may name it as soon as it is out
	}
	w.slow.before(w.c.raw.SetWriteDeadline)
	err := w.c.c.Write(w.ctx, websocket.MessageText, data)
	if err != nil {
		_ = w.c.raw.Close() // the reader would wait for a client that takes nothing
	}
	return err
}

func (w *wsStream) comment() error { return nil }
func (w *wsStream) flush() error   { return nil }
func (w *wsStream) end() error     { return nil }

// body is a status: an error frame with the members of the body, and then the
// connection is closed.
func (w *wsStream) body(data []byte) error {
	if err := w.event("error", data); err != nil || w.keep {
		return err
	}
	w.goodbye = websocket.StatusNormalClosure
	return nil
}

// cut breaks the connection; close:CODE says good-bye first.
func (w *wsStream) cut(how string) error {
	w.told()
	if code, ok := closeCode(how); ok {
		w.goodbye = websocket.StatusCode(code)
		return errCut
	}
	breakConn(w.c.raw, how)
	return errCut
}

// errorFrame is how an HTTP error looks on a WebSocket.
func errorFrame(a *answer) []byte {
	members := map[string]any{}
	if err := json.Unmarshal(a.body, &members); err != nil {
		members["error"] = map[string]string{"message": string(a.body)}
	}
	members["type"], members["status"] = "error", a.status
	headers := map[string]string{}
	for k, v := range a.headers {
		if k != "Content-Type" {
			headers[k] = v
		}
	}
	if len(headers) > 0 {
		members["headers"] = headers
	}
	frame, _ := json.Marshal(members)
	return frame
}

// lanes run the requests of one stream_id one after the other, and those of
// different ones side by side. The zero value is ready.
type lanes struct {
	mu      sync.Mutex
	wg      sync.WaitGroup
	waiting map[string][]func() // a lane that runs has an entry
	n       int
}

// maxQueued requests may wait or run on one connection.
const maxQueued = 64

func (l *lanes) queue(lane string, do func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n++; l.n > maxQueued {
		return false
	}
	if l.waiting == nil {
		l.waiting = map[string][]func(){}
	}
	if others, runs := l.waiting[lane]; runs {
		l.waiting[lane] = append(others, do)
		return true
	}
	l.waiting[lane] = nil
	l.wg.Go(func() { l.run(lane, do) })
	return true
}

func (l *lanes) run(lane string, do func()) {
	for do != nil {
		do()
		do = l.next(lane)
	}
}

func (l *lanes) next(lane string) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n--
	queue := l.waiting[lane]
	if len(queue) == 0 {
		delete(l.waiting, lane)
		return nil
	}
	l.waiting[lane] = queue[1:]
	return queue[0]
}

func (l *lanes) wait() { l.wg.Wait() }

// sessionUpdated is what the realtime server says to a session.update.
func sessionUpdated(q *request) []byte {
	b, _ := json.Marshal(map[string]any{
		"type": "session.updated",
		"session": map[string]string{
			"id": "sess_1", "instructions": first(q.top.session.Get("instructions").Str, "You are a mock."),
		},
	})
	return b
}

func withLane(lane string, events []event) {
	if lane == "" {
		return
	}
	name, _ := json.Marshal(lane)
	for i, e := range events {
		if gjson.ParseBytes(e.Data).IsObject() {
			events[i].Data = append(append([]byte(`{"stream_id":`), name...), append([]byte(","), e.Data[1:]...)...)
		}
	}
}
