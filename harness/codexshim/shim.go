// Package codexshim stands in the place of codex for somebody else's agent
// manager: it passes standard input and output on to the harness, which runs the
// real codex and sees every line before the other side does.
package codexshim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Word is the hidden command by which a program becomes the shim:
// PROGRAM codex-shim ADDRESS TOKEN ARGUMENT ...
const Word = "codex-shim"

// Hello is the shim's first line: who it is.
type Hello struct {
	Token string   `json:"token"`
	Home  string   `json:"home"` // CODEX_HOME
	Args  []string `json:"args"`
	PID   int      `json:"pid"`
}

// Up is a line to the harness.
type Up struct {
	In      []byte `json:"in,omitempty"`
	EOF     bool   `json:"eof,omitempty"`
	Flushed int    `json:"flushed,omitempty"`
}

// Down is a line from the harness.
type Down struct {
	Out   []byte `json:"out,omitempty"`
	Err   []byte `json:"err,omitempty"`
	Exit  *int   `json:"exit,omitempty"`
	Flush int    `json:"flush,omitempty"` // answer once all input that is there was passed on
	Exec  *Exec  `json:"exec,omitempty"`  // become the real codex: no app-server was asked for
}

// Exec is what to become.
type Exec struct {
	Path string   `json:"path"`
	Env  []string `json:"env"`
}

type shim struct {
	conn int
	buf  []byte
	eof  bool
}

// Main is the shim: args are what stands behind Word. It returns the exit code.
func Main(args []string) int {
	code, err := run(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "codex-shim:", err)
		return 1
	}
	return code
}

func run(args []string) (int, error) {
	if len(args) < 2 {
		return 0, fmt.Errorf("it is started by a run of replay, not by hand")
	}
	conn, err := net.Dial("tcp", args[0])
	if err != nil {
		return 0, err
	}
	file, err := conn.(*net.TCPConn).File()
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }() // not before: a file that nobody holds is closed with the garbage
	if err := unix.SetNonblock(int(file.Fd()), false); err != nil {
		return 0, err
	}
	s := &shim{conn: int(file.Fd())}
	if err := s.send(Hello{Token: args[1], Home: os.Getenv("CODEX_HOME"), Args: args[2:], PID: os.Getpid()}); err != nil {
		return 0, err
	}
	return s.loop(args[2:])
}

// loop is one thread, so that what a flush finds in the input is passed on
// before its answer.
func (s *shim) loop(args []string) (int, error) {
	for {
		fds := []unix.PollFd{{Fd: int32(s.conn), Events: unix.POLLIN}, {Fd: 0, Events: unix.POLLIN}}
		if s.eof {
			fds = fds[:1]
		}
		if _, err := unix.Poll(fds, -1); err != nil && err != syscall.EINTR {
			return 0, err
		}
		if len(fds) > 1 && fds[1].Revents != 0 {
			if err := s.input(); err != nil {
				return 0, err
			}
		}
		if fds[0].Revents == 0 {
			continue
		}
		if code, err := s.output(args); code != nil || err != nil {
			return deref(code), err
		}
	}
}

func deref(code *int) int {
	if code == nil {
		return 1
	}
	return *code
}

func (s *shim) input() error {
	buf := make([]byte, 64<<10)
	n, err := unix.Read(0, buf)
	if err != nil && err != syscall.EINTR {
		return err
	}
	if n <= 0 && err == nil {
		s.eof = true
		return s.send(Up{EOF: true})
	}
	return s.send(Up{In: buf[:max(n, 0)]})
}

// flush passes on all input that is there.
func (s *shim) flush(n int) error {
	for !s.eof {
		fds := []unix.PollFd{{Fd: 0, Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, 0); err != nil && err != syscall.EINTR {
			return err
		}
		if fds[0].Revents == 0 {
			break
		}
		if err := s.input(); err != nil {
			return err
		}
	}
	return s.send(Up{Flushed: n})
}

// output takes what the harness says. It returns an exit code when that is the end.
func (s *shim) output(args []string) (*int, error) {
	buf := make([]byte, 64<<10)
	n, err := unix.Read(s.conn, buf)
	if err != nil && err != syscall.EINTR {
		return nil, err
	}
	if n == 0 && err == nil {
		return nil, fmt.Errorf("the run is over")
	}
	s.buf = append(s.buf, buf[:max(n, 0)]...)
	for {
		line, rest, whole := bytes.Cut(s.buf, []byte("\n"))
		if !whole {
			return nil, nil
		}
		var d Down
		if err := json.Unmarshal(line, &d); err != nil {
			return nil, err
		}
		s.buf = rest
		if err := s.take(d, args); err != nil || d.Exit != nil {
			return d.Exit, err
		}
	}
}

func (s *shim) take(d Down, args []string) error {
	switch {
	case d.Exec != nil:
		return syscall.Exec(d.Exec.Path, append([]string{d.Exec.Path}, args...), d.Exec.Env)
	case d.Flush > 0:
		return s.flush(d.Flush)
	case d.Out != nil:
		_, err := os.Stdout.Write(d.Out)
		return err
	case d.Err != nil:
		_, err := os.Stderr.Write(d.Err)
		return err
	}
	return nil
}

func (s *shim) send(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	for line = append(line, '\n'); len(line) > 0; {
		n, err := unix.Write(s.conn, line)
		if err != nil && err != syscall.EINTR {
			return err
		}
		line = line[max(n, 0):]
	}
	return nil
}
