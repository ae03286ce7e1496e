package harness

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/harness/codexshim"
)

// shims take the calls of somebody else's manager to CODEX_BIN: each connection
// is one codex, which the harness runs.
type shims struct {
	env     *Env
	manager *foreign
	ln      net.Listener
	token   string
	served  sync.WaitGroup
}

// shimConn is one codex as the manager sees it.
type shimConn struct {
	agent *agent
	pid   int
	mu    sync.Mutex // one frame at a time
	conn  net.Conn
	lines int // written to the manager; guarded by the manager's lock
	gone  bool
	ended chan struct{} // closed when it is gone
}

// openShims writes the script that stands for codex, and returns its path.
func openShims(e *Env, m *foreign) (*shims, string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	s := &shims{env: e, manager: m, ln: ln, token: rand.Text()}
	words := append(slices.Clone(e.shim), ln.Addr().String(), s.token)
	for i, w := range words {
		words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	bin := filepath.Join(e.work.Dir, "bin", "codex")
	if err := os.MkdirAll(filepath.Dir(bin), 0o700); err != nil {
		return s, "", err
	}
	script := "#!/bin/sh\nexec " + strings.Join(words, " ") + " \"$@\"\n"
	s.served.Go(s.accept)
	return s, bin, os.WriteFile(bin, []byte(script), 0o700)
}

func (s *shims) accept() {
	for {
		conn, err := s.ln.Accept()
		if err != nil {
			return
		}
		s.served.Go(func() { s.serve(conn) })
	}
}

func (s *shims) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }() // nothing more is written
	in := bufio.NewReader(conn)
	line, err := in.ReadBytes('\n')
	var hello codexshim.Hello
	if err != nil || json.Unmarshal(line, &hello) != nil || hello.Token != s.token {
		return
	}
	a := s.env.agents.find(func(a *agent) bool { return a.home.Dir() == filepath.Clean(hello.Home) })
	if a == nil {
		s.manager.complain(fmt.Errorf("the manager %s started codex with CODEX_HOME=%q; give it the codex_home of the agent's create call", s.manager.name, hello.Home))
		return
	}
	c := &shimConn{agent: a, pid: hello.PID, conn: conn, ended: make(chan struct{})}
	if !slices.Contains(hello.Args, "app-server") {
		c.send(codexshim.Down{Exec: &codexshim.Exec{Path: s.env.codex.Binary, Env: a.home.Environ()}})
		return
	}
	s.run(c, hello.Args, in)
}

// cannotStart is the exit code of a shell for a program that is not there.
const cannotStart = 127

// run starts the real codex and passes on both ways until the manager is gone.
func (s *shims) run(c *shimConn, args []string, in *bufio.Reader) {
	cmd := c.agent.home.Command(c.agent.id, s.env.workspace())
	cmd.Args = args
	s.manager.add(c) // before its first line, and after the last one's
	process, err := s.env.wire.Start(cmd, codex.Callbacks{
		Line:   func(line []byte) { s.manager.fromCodex(c, line) },
		Stderr: func(text []byte) { c.send(codexshim.Down{Err: text}) },
		Exit:   func(x codex.Exit) { s.manager.codexExited(c, x) },
	})
	if err != nil {
		s.manager.complain(fmt.Errorf("the codex of agent %s for the manager %s: %w", c.agent.name, s.manager.name, err))
		s.manager.codexExited(c, codex.Exit{Code: cannotStart})
		return
	}
	var pending []byte
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			process.Kill() // the manager has ended its codex
			return
		}
		var up codexshim.Up
		if json.Unmarshal(line, &up) != nil {
			continue
		}
		switch {
		case up.Flushed > 0:
			s.manager.flushed(c, up.Flushed)
		case up.EOF:
			process.Close()
		default:
			pending = s.toCodex(process, append(pending, up.In...))
		}
	}
}

// toCodex writes the whole lines and returns the rest.
func (s *shims) toCodex(process codex.Process, text []byte) []byte {
	for {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return text
		}
		s.manager.moved()
		process.Write(line)
		text = rest
	}
}

// send writes a frame. A manager that has gone does not read it.
func (c *shimConn) send(d codexshim.Down) {
	line, err := json.Marshal(d)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.conn.Write(append(line, '\n'))
}

func (s *shims) close() {
	_ = s.ln.Close()
	s.served.Wait()
}
