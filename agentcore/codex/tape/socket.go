package tape

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// socket is a WebSocket to the provider, in-process as the answers over HTTP
// are: what the provider writes is read at once.
type socket struct {
	s      *process
	cancel func()
	ended  chan struct{}
	ending sync.Once

	mu      sync.Mutex
	waiting []*stream // requests in order; the first is being answered
	left    bool      // by us
	in      frames
	out     bytes.Buffer // what the provider has not read yet
	readers sync.Cond
	closed  bool
}

// askSocket sends a request over its connection, which the first one opens.
func (s *process) askSocket(st *stream, w Wire) error {
	c := s.sockets[w.Connection]
	if c == nil {
		ctx, cancel := context.WithCancel(context.Background())
		r, err := newRequest(ctx, w, nil)
		if err != nil {
			cancel()
			return err
		}
		c = &socket{s: s, cancel: cancel, ended: make(chan struct{})}
		c.readers.L = &c.mu
		s.sockets[w.Connection] = c
		c.open(r)
	}
	st.socket, st.ended, st.cancel = c, c.ended, func() {}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return errors.New("the provider has closed its connection")
	}
	c.waiting = append(c.waiting, st)
	c.sendLocked(opText, w.Body)
	return nil
}

func (c *socket) open(r *http.Request) {
	for name, value := range map[string]string{
		"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
		"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
	} {
		r.Header.Set(name, value)
	}
	go func() {
		up := &upgrade{c: c, header: http.Header{}}
		c.s.handler.ServeHTTP(up, r)
		if !up.taken { // else the connection lives until it is closed
			c.over()
		}
	}()
}

// upgrade is the answer to a handshake.
type upgrade struct {
	c      *socket
	header http.Header
	taken  bool
}

func (u *upgrade) Header() http.Header         { return u.header }
func (u *upgrade) WriteHeader(int)             {}
func (u *upgrade) Write(p []byte) (int, error) { return len(p), nil }

// Hijack gives the provider its end of the connection.
func (u *upgrade) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	u.taken = true
	conn := serverConn{u.c}
	return conn, bufio.NewReadWriter(bufio.NewReader(conn), bufio.NewWriter(conn)), nil
}

// close leaves the connection and returns when the provider has noticed.
func (c *socket) close() {
	c.mu.Lock()
	c.left = true
	c.shutLocked()
	c.mu.Unlock()
	c.cancel()
	<-c.ended
}

func (c *socket) shutLocked() {
	c.closed = true
	c.readers.Broadcast()
}

// over: the provider has nothing to do with the connection any more.
func (c *socket) over() { c.ending.Do(func() { c.broken(); close(c.ended) }) }

// broken: the provider has closed the connection; who still waits is told.
func (c *socket) broken() {
	c.mu.Lock()
	waiting, left := c.waiting, c.left
	c.waiting = nil
	c.shutLocked()
	c.mu.Unlock()
	for _, st := range waiting {
		if !left {
			st.post([]frame{{name: Broken}})
		}
	}
}

// message takes a message of the provider; it belongs to the oldest request.
func (c *socket) messageLocked(data []byte) {
	if len(c.waiting) == 0 {
		return
	}
	var head struct{ Type string }
	_ = json.Unmarshal(data, &head) // what is no event has no type
	f := frame{head.Type, data}
	st := c.waiting[0]
	if f.last(true) {
		c.waiting = c.waiting[1:]
	}
	st.post([]frame{f})
}

// The kinds of WebSocket frames.
const (
	opText  = 1
	opClose = 8
	opPing  = 9
	opPong  = 10
)

// sendLocked writes a frame. Its mask is zero, which changes nothing.
func (c *socket) sendLocked(op byte, data []byte) {
	head := []byte{0x80 | op}
	switch n := len(data); {
	case n < 126:
		head = append(head, 0x80|byte(n))
	case n < 1<<16:
		head = binary.BigEndian.AppendUint16(append(head, 0x80|126), uint16(n))
	default:
		head = binary.BigEndian.AppendUint64(append(head, 0x80|127), uint64(n))
	}
	c.out.Write(append(head, 0, 0, 0, 0))
	c.out.Write(data)
	c.readers.Broadcast()
}

// frames reads the provider's frames, which come in pieces of any size.
type frames struct{ buf, message []byte }

// next returns the next whole frame.
func (f *frames) next() (op byte, final bool, data []byte, ok bool) {
	if len(f.buf) < 2 {
		return 0, false, nil, false
	}
	head, n := 2, uint64(f.buf[1]&0x7f)
	switch {
	case n == 126 && len(f.buf) >= 4:
		head, n = 4, uint64(binary.BigEndian.Uint16(f.buf[2:]))
	case n == 127 && len(f.buf) >= 10:
		head, n = 10, binary.BigEndian.Uint64(f.buf[2:])
	case n >= 126:
		return 0, false, nil, false
	}
	if uint64(len(f.buf)-head) < n {
		return 0, false, nil, false
	}
	op, final, data = f.buf[0]&0xf, f.buf[0]&0x80 != 0, f.buf[head:head+int(n)]
	f.buf = f.buf[head+int(n):]
	return op, final, data, true
}

// takeLocked takes bytes of the provider.
func (c *socket) takeLocked(p []byte) {
	c.in.buf = append(c.in.buf, p...)
	for {
		op, final, data, ok := c.in.next()
		if !ok {
			return
		}
		switch op {
		case opClose: // it waits for ours
			c.sendLocked(opClose, data)
		case opPing:
			c.sendLocked(opPong, data)
		case opPong:
		default:
			c.in.message = append(c.in.message, data...)
			if final {
				message := c.in.message
				c.in.message = nil
				c.messageLocked(message)
			}
		}
	}
}

// serverConn is the provider's end.
type serverConn struct{ c *socket }

func (s serverConn) Read(p []byte) (int, error) {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.out.Len() == 0 && !c.closed {
		c.readers.Wait()
	}
	if c.out.Len() == 0 {
		return 0, net.ErrClosed
	}
	return c.out.Read(p)
}

func (s serverConn) Write(p []byte) (int, error) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if s.c.closed {
		return 0, net.ErrClosed
	}
	s.c.takeLocked(p)
	return len(p), nil
}

func (s serverConn) Close() error {
	s.c.over()
	return nil
}

func (serverConn) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
func (serverConn) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
func (serverConn) SetDeadline(time.Time) error      { return nil }
func (serverConn) SetReadDeadline(time.Time) error  { return nil }
func (serverConn) SetWriteDeadline(time.Time) error { return nil }
