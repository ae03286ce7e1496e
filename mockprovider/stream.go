package mockprovider

import (
	"net"
	"net/http"
	"time"

	"github.com/heldstream/heldstream/internal/sse"
)

// Transports, as Exchange.Transport names them.
const (
	transportSSE       = "sse"
	transportJSON      = "json"
	transportWebSocket = "websocket"
)

// httpStream answers over HTTP: events as SSE, or one body.
type httpStream struct {
	w      http.ResponseWriter
	rc     *http.ResponseController
	frame  Frame
	format sse.Format
	cutAt  *Cut // after a number of bytes; nil: not
	slow   deadline
	told   func() // called before the connection is cut; nil: nobody

	headed  bool   // headers that no write has taken along yet
	buf     []byte // events that wait for others to share a write
	waiting int
	sent    int  // bytes of the body
	abort   bool // the handler is to end by a panic, the only other way to break off
}

func newHTTPStream(w http.ResponseWriter, r *Reply, limit time.Duration) *httpStream {
	h := &httpStream{w: w, rc: http.NewResponseController(w), slow: deadline{limit: limit}}
	if r == nil {
		return h
	}
	h.frame = r.Frame
	h.format = sse.Format{CRLF: r.Frame.CRLF, NoEventLines: r.Frame.NoEventLines}
	if r.Cut != nil && r.Cut.Bytes > 0 {
		h.cutAt = r.Cut
	}
	return h
}

func (h *httpStream) shows(stepKind) bool { return true }

func (h *httpStream) headers(status int, headers map[string]string) error {
	for k, v := range headers {
		h.w.Header().Set(k, v)
	}
	h.w.WriteHeader(status)
	h.headed = true
	return nil
}

func (h *httpStream) event(kind string, data []byte) error {
	h.buf = h.format.Append(h.buf, kind, data)
	return h.queued()
}

func (h *httpStream) comment() error {
	h.buf = h.format.Comment(h.buf, "heartbeat")
	return h.queued()
}

func (h *httpStream) queued() error {
	if h.waiting++; h.waiting < h.frame.Coalesce {
		return nil
	}
	return h.flush()
}

// flush writes what waits, in pieces of the size that the script wants.
func (h *httpStream) flush() error {
	b := h.buf
	h.buf, h.waiting = h.buf[:0], 0
	if len(b) == 0 && h.headed {
		return h.write(nil)
	}
	size := or(h.frame.Chunk, len(b))
	for len(b) > 0 {
		n := min(size, len(b))
		if err := h.write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

func (h *httpStream) write(b []byte) error {
	cut := h.cutAt != nil && h.sent+len(b) >= h.cutAt.Bytes
	if cut {
		b = b[:h.cutAt.Bytes-h.sent]
	}
	h.slow.before(h.rc.SetWriteDeadline)
	if _, err := h.w.Write(b); err != nil {
		return err
	}
	h.sent, h.headed = h.sent+len(b), false
	if err := h.rc.Flush(); err != nil {
		return err
	}
	if cut {
		return h.cut(h.cutAt.How)
	}
	return nil
}

// deadline is for clients that do not read. It is moved on in steps, as that
// costs more than a frame.
type deadline struct {
	limit time.Duration
	set   time.Time
}

// before goes before each write.
func (d *deadline) before(setWriteDeadline func(time.Time) error) {
	now := time.Now()
	if now.Sub(d.set) < d.limit/4 {
		return
	}
	d.set = now
	_ = setWriteDeadline(now.Add(d.limit)) // not every writer has deadlines
}

func (h *httpStream) body(data []byte) error {
	h.buf = append(h.buf, data...)
	return h.flush()
}

func (h *httpStream) end() error {
	if h.frame.Done {
		h.buf = h.format.Append(h.buf, "", []byte("[DONE]"))
	}
	return h.flush()
}

// cut takes the connection from the server and closes it: a client sees the
// body break off, or with reset a connection reset.
func (h *httpStream) cut(how string) error {
	if h.told != nil {
		h.told()
	}
	conn, _, err := h.rc.Hijack()
	if err != nil { // HTTP/2 and recorders
		h.abort = true
		return errCut
	}
	breakConn(conn, how)
	return errCut
}

func breakConn(conn net.Conn, how string) {
	if tcp, ok := conn.(*net.TCPConn); ok && how == "reset" {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
