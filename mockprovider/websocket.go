package mockprovider

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/coder/websocket"
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
	epoch  context.Context // over when the Server starts anew or closes: what past knows is then no more
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
		s.refuseUpgrade(agent, w, r, up)
		return
	}
	if c := s.accept(agent, w, r, up); c != nil {
		ctx := context.WithoutCancel(r.Context()) // it ends when we return
		s.wg.Go(func() { c.run(ctx, up.How) })
	}
}

// run serves the connection until it is closed.
func (c *wsConn) run(ctx context.Context, how string) {
	ctx, stop := joined(ctx, c.epoch)
	defer stop()
	defer func() { _ = c.c.CloseNow() }()
	// A good-bye that waits for the client's answer must not keep the Server.
	defer context.AfterFunc(c.epoch, func() { _ = c.raw.Close() })()
	switch how {
	case "reset":
		breakConn(c.raw, "reset")
	case "silent":
		c.swallow(ctx)
	default:
		c.serve(ctx)
	}
}

// swallow reads whatever comes and answers nothing but pings.
func (c *wsConn) swallow(ctx context.Context) {
	for {
		_, from, err := c.c.Reader(ctx)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, from); err != nil {
			return
		}
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
func (s *Server) refuseUpgrade(agent string, w http.ResponseWriter, r *http.Request, up Upgrade) {
	t := s.handshake(agent, r, "the script refuses the upgrade")
	told := Event{Kind: Arrived, Exchange: t.x.Exchange}
	if up.Status == 0 && up.How != "hang" {
		told.Kind, told.Text = Unmatched, "the script serves no WebSocket at "+r.URL.Path
	}
	status := or(up.Status, http.StatusNotFound)
	t.refuse(refuse(status, "upgrade_refused", "the mock provider refuses this WebSocket"))
	if up.How == "hang" {
		t.steps = []step{{kind: stepForever}}
	} else { // a client may show the refusal as it came off the wire: no chunks
		w.Header().Set("Content-Length", strconv.Itoa(len(t.a.body)))
	}
	s.refused(t, told)
	t.play(newHTTPStream(w, nil, s.lim.Write))
}

// handshake makes the exchange of one that leads to no WebSocket.
func (s *Server) handshake(agent string, r *http.Request, why string) *taken {
	q := &request{agent: agent, transport: transportJSON, method: r.Method, path: r.URL.Path, header: r.Header, top: &members{}}
	t := s.begin(r.Context(), q)
	t.x.Class, t.x.Why, t.x.failing = Handshake, why, true
	t.x.Transport = transportWebSocket
	return t
}

// refused numbers it, and tells of it.
func (s *Server) refused(t *taken, told Event) {
	s.update(func(st *state) []Event {
		s.admit(t)
		st.number(t.x)
		return []Event{told}
	})
}

// accept makes the handshake.
func (s *Server) accept(agent string, w http.ResponseWriter, r *http.Request, up Upgrade) *wsConn {
	for k, v := range up.Headers {
		w.Header().Set(k, v)
	}
	tap := &hijackTap{ResponseWriter: w}
	// Without context takeover a connection at rest costs no compressor.
	c, err := websocket.Accept(tap, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionNoContextTakeover})
	if err != nil { // Accept has answered
		t := s.handshake(agent, r, "the handshake is faulty")
		s.refused(t, Event{Kind: Unmatched, Exchange: t.x.Exchange, Text: "the handshake is faulty: " + err.Error()})
		s.finish(t.x, Event{Kind: Ended})
		return nil
	}
	c.SetReadLimit(s.lim.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connections++
	return &wsConn{s: s, agent: agent, number: s.connections, r: r, c: c, raw: tap.conn, past: pasts{}, epoch: s.state.epoch}
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
			c.goodbye(websocket.StatusUnsupportedData, "a binary frame; only text frames are known")
			return
		}
		if !c.message(ctx, msg) {
			c.goodbye(websocket.StatusPolicyViolation, "too many requests wait on this connection")
			return
		}
	}
}

// goodbye ends a connection whose client broke the protocol.
func (c *wsConn) goodbye(code websocket.StatusCode, why string) {
	if !c.s.Lenient {
		c.s.emit(Event{Kind: Violation, Exchange: &Exchange{Agent: c.agent, Connection: c.number}, What: "frames", Text: why})
	}
	_ = c.c.Close(code, why)
}

// message queues a request on its lane. Other frames, which clients send to
// inform, ask for nothing and are noted. It is false when too many requests
// wait.
func (c *wsConn) message(ctx context.Context, msg []byte) bool {
	q, bad := newRequest(c.agent, transportWebSocket, c.r, msg)
	q.conn, q.lane = c.number, q.top.lane.Str
	switch kind := q.top.kind.Str; {
	case bad != nil:
	case isRealtime(q.path) && kind == "session.update":
	case isRealtime(q.path) || kind != "response.create":
		c.s.emit(Event{Kind: Noted, Exchange: q.exchange(), What: kind, Data: q.body})
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
	lasting, stop := t.lasting()
	defer stop()
	w := c.stream(lasting, t)
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
