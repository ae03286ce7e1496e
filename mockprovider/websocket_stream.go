package mockprovider

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"

	"github.com/coder/websocket"
)

// wsStream answers over a WebSocket: one event, one message. Of a reply's
// Frame it takes what a WebSocket has too: chunks are fragments, comments are
// pings. The rest shapes the text of server-sent events.
type wsStream struct {
	c     *wsConn
	ctx   context.Context
	keep  bool // an error leaves the connection open
	chunk int  // bytes a fragment; 0: a message is one frame
	cutAt *Cut // after a number of bytes of messages; nil: not
	sent  int  // of them

	slow    deadline
	told    func()               // before the connection is cut
	learn   func()               // the response may be built upon from now on
	goodbye websocket.StatusCode // the connection is to be closed with it
}

func (c *wsConn) stream(ctx context.Context, t *taken) *wsStream {
	w := &wsStream{
		c: c, ctx: ctx, keep: t.q.refused != nil, slow: deadline{limit: c.s.lim.Write},
		told: func() { c.s.cutting(t.x) }, learn: func() { c.past.learn(t.q, t) },
	}
	if r := t.x.reply; r != nil {
		w.chunk = r.Frame.Chunk
		if r.Cut != nil && r.Cut.Bytes > 0 {
			w.cutAt = r.Cut
		}
	}
	return w
}

func (w *wsStream) shows(kind stepKind) bool { return kind == stepEvent || kind == stepBody }

func (w *wsStream) headers(int, map[string]string) error { return nil }

func (w *wsStream) event(kind string, data []byte) error {
	if kind == "response.completed" {
		w.learn() // first: another lane may name it as soon as it is out
	}
	if w.cutAt != nil && w.sent+len(data) >= w.cutAt.Bytes {
		w.tear(data[:w.cutAt.Bytes-w.sent], len(data))
		return w.cut(w.cutAt.How)
	}
	w.sent += len(data)
	w.slow.before(w.c.raw.SetWriteDeadline)
	return w.orBreak(w.message(data))
}

// orBreak ends the connection with an error of a write: else its reader would
// wait for a client that takes nothing.
func (w *wsStream) orBreak(err error) error {
	if err != nil {
		_ = w.c.raw.Close()
	}
	return err
}

// message sends one message, in fragments if the script wants that.
func (w *wsStream) message(data []byte) error {
	if w.chunk == 0 {
		return w.c.c.Write(w.ctx, websocket.MessageText, data)
	}
	to, err := w.c.c.Writer(w.ctx, websocket.MessageText)
	if err != nil {
		return err
	}
	for piece := range slices.Chunk(data, w.chunk) {
		if _, err := to.Write(piece); err != nil {
			return err
		}
	}
	return to.Close()
}

// tear sends the beginning of a frame whose end never comes: past the library,
// which sends whole ones only.
func (w *wsStream) tear(begin []byte, whole int) {
	const finalText, length16, length64 = 0x81, 126, 127
	head := []byte{finalText, byte(whole)}
	switch {
	case whole > math.MaxUint16:
		head = binary.BigEndian.AppendUint64([]byte{finalText, length64}, uint64(whole))
	case whole >= length16:
		head = binary.BigEndian.AppendUint16([]byte{finalText, length16}, uint16(whole))
	}
	w.slow.before(w.c.raw.SetWriteDeadline)
	_, _ = w.c.raw.Write(append(head, begin...)) // the connection is broken next
}

func (w *wsStream) flush() error { return nil }
func (w *wsStream) end() error   { return nil }

// comment is a ping; it is over with the client's answer.
func (w *wsStream) comment() error {
	ctx, cancel := context.WithTimeout(w.ctx, w.c.s.lim.Write)
	defer cancel()
	return w.orBreak(w.c.c.Ping(ctx))
}

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
func errorFrame(a *answer, lane string) []byte {
	members := map[string]any{}
	if err := json.Unmarshal(a.body, &members); err != nil {
		members["error"] = map[string]string{"message": string(a.body)}
	}
	members["type"], members["status"] = "error", a.status
	if lane != "" {
		members["stream_id"] = lane
	}
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
