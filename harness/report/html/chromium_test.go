package html

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// browser is a headless Chromium, spoken to over a pipe: it listens nowhere.
type browser struct {
	out io.Writer

	mu       sync.Mutex
	last     int
	answers  map[int]chan answer
	sessions map[string]func(method string, params json.RawMessage)
	gone     error
}

type answer struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// startChromium fails without a Chromium: who asks for these tests must not be
// told that all is well because none of them ran.
func startChromium(t *testing.T) *browser {
	t.Helper()
	if os.Getenv("HELDSTREAM_CHROMIUM") != "1" {
		t.Skip("runs in a headless Chromium: make test-html, or set HELDSTREAM_CHROMIUM=1")
	}
	path, err := exec.LookPath("chromium")
	require.NoError(t, err, "HELDSTREAM_CHROMIUM=1 needs chromium: sudo apt-get install chromium")
	args := []string{
		"--headless", "--remote-debugging-pipe", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--user-data-dir=" + t.TempDir(), "about:blank",
	}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...) // its sandbox does not run as root
	}
	theirIn, ourOut := pipe(t)
	ourIn, theirOut := pipe(t)
	cmd := exec.Command(path, args...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4
	require.NoError(t, cmd.Start())
	theirIn.Close()
	theirOut.Close()
	b := &browser{out: ourOut, answers: map[int]chan answer{}, sessions: map[string]func(string, json.RawMessage){}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		b.read(ourIn)
	}()
	t.Cleanup(func() {
		_ = b.call("", "Browser.close", nil, nil) // it may close before it answers
		ourOut.Close()                            // which ends it as well
		<-read
		ourIn.Close()
		_ = cmd.Wait() // how it ends says nothing about the page
	})
	return b
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	return r, w
}

// read hands out messages, each of which ends with a zero byte, until the
// browser closes the pipe.
func (b *browser) read(in io.Reader) {
	for r := bufio.NewReader(in); ; {
		data, err := r.ReadBytes(0)
		if err != nil {
			b.end(err)
			return
		}
		b.take(data[:len(data)-1])
	}
}

func (b *browser) take(data []byte) {
	var m struct {
		ID        int
		Method    string
		Params    json.RawMessage
		SessionID string
		answer
	}
	if json.Unmarshal(data, &m) != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait := b.answers[m.ID]; wait != nil {
		delete(b.answers, m.ID)
		wait <- m.answer
	} else if told := b.sessions[m.SessionID]; told != nil {
		told(m.Method, m.Params)
	}
}

func (b *browser) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = fmt.Errorf("chromium has closed: %w", err)
	for _, wait := range b.answers {
		close(wait)
	}
	b.answers = nil
}

// call sends a command and waits for its answer.
func (b *browser) call(session, method string, params, result any) error {
	wait, err := b.send(session, method, params)
	if err != nil {
		return err
	}
	got, ok := <-wait
	switch {
	case !ok:
		return b.gone
	case got.Error != nil:
		return errors.New(method + ": " + got.Error.Message)
	case result == nil:
		return nil
	}
	return json.Unmarshal(got.Result, result)
}

func (b *browser) send(session, method string, params any) (<-chan answer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone != nil {
		return nil, b.gone
	}
	b.last++
	data, err := json.Marshal(map[string]any{"id": b.last, "method": method, "params": or(params), "sessionId": session})
	if session == "" {
		data, err = json.Marshal(map[string]any{"id": b.last, "method": method, "params": or(params)})
	}
	if err != nil {
		return nil, err
	}
	wait := make(chan answer, 1)
	b.answers[b.last] = wait
	_, err = b.out.Write(append(data, 0))
	return wait, err
}

func or(params any) any {
	if params == nil {
		return struct{}{}
	}
	return params
}
