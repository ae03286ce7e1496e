package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkIssue5728 plays the steer variant of issue-5728 live, process start
// to verdict, and beside it the same wire work by the least that can do it: a
// client of forty lines and a server of thirty, with no log, no judge and no
// waits. It reports the ratio of the two, measured in turn.
func BenchmarkIssue5728(b *testing.B) {
	bin := os.Getenv("CODEX_BIN")
	if bin == "" {
		b.Skip("no CODEX_BIN: make bench brings codex and measures this")
	}
	replay := build(b)
	var bare, whole time.Duration
	for b.Loop() {
		bare += timed(b, func() error { return playBare(b, bin) })
		whole += timed(b, func() error { return playWhole(bin, replay, b.TempDir()) })
	}
	n := float64(b.N)
	b.ReportMetric(bare.Seconds()/n, "s/bare")
	b.ReportMetric(whole.Seconds()/n, "s/replay")
	b.ReportMetric(whole.Seconds()/bare.Seconds(), "replay/bare")
}

func timed(b *testing.B, f func() error) time.Duration {
	began := time.Now()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

func build(b *testing.B) string {
	out := filepath.Join(b.TempDir(), "replay")
	if text, err := exec.Command("go", "build", "-o", out, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, text)
	}
	return out
}

func playWhole(bin, replay, cache string) error {
	cmd := exec.Command(replay, "run", "--run", "steer", "scenarios/compaction/issue-5728.toml")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "CODEX_BIN="+bin, "HELDSTREAM_CACHE="+cache)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	return nil
}

// bare is the least that can do the wire work.
type bare struct {
	b     *testing.B
	in    io.Writer
	out   *bufio.Scanner
	calls int
	held  chan struct{} // the compaction has arrived
	free  chan struct{} // it may be answered
	n     int           // answers
}

func playBare(b *testing.B, bin string) error {
	p := &bare{b: b, held: make(chan struct{}), free: make(chan struct{})}
	server := httptest.NewServer(p)
	defer server.Close()
	home := b.TempDir()
	config := fmt.Sprintf(bareConfig, server.URL)
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(config), 0o600); err != nil {
		return err
	}
	cmd := exec.Command(bin, "app-server")
	cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "CODEX_HOME=" + home, "PATH=/usr/bin:/bin"}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.in, p.out = in, bufio.NewScanner(out)
	p.out.Buffer(nil, 1<<20)
	if err := cmd.Start(); err != nil {
		return err
	}
	p.converse(home)
	_ = in.Close()
	return cmd.Wait()
}

const bareConfig = `
model = "mock-model"
model_provider = "mock"
check_for_update_on_startup = false
model_auto_compact_token_limit = 10000
[analytics]
enabled = false
[features]
apps = false
plugins = false
[model_providers.mock]
name = "Mock"
base_url = "%s/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`

func (p *bare) converse(home string) {
	p.call("initialize", map[string]any{"clientInfo": map[string]any{"name": "bare", "version": "0"}, "capabilities": map[string]any{"experimentalApi": true}})
	p.send(map[string]any{"method": "initialized"})
	thread := p.call("thread/start", map[string]any{"cwd": home})["thread"].(map[string]any)["id"]
	input := func(text string) []any { return []any{map[string]any{"type": "text", "text": text}} }
	p.call("turn/start", map[string]any{"threadId": thread, "input": input("first turn")})
	p.until("turn/completed")
	turn := p.call("turn/start", map[string]any{"threadId": thread, "input": input("second turn")})["turn"].(map[string]any)["id"]
	<-p.held
	for _, text := range []string{"update from agent A", "update from agent B"} {
		p.call("turn/steer", map[string]any{"threadId": thread, "expectedTurnId": turn, "input": input(text)})
	}
	close(p.free)
	p.until("turn/completed")
}

func (p *bare) send(m map[string]any) {
	line, err := json.Marshal(m)
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	if err != nil {
		p.b.Fatal(err)
	}
}

func (p *bare) call(method string, params any) map[string]any {
	p.calls++
	p.send(map[string]any{"id": p.calls, "method": method, "params": params})
	m := p.read(func(m map[string]any) bool { return m["id"] == float64(p.calls) })
	result, _ := m["result"].(map[string]any)
	return result
}

func (p *bare) until(method string) {
	p.read(func(m map[string]any) bool { return m["method"] == method })
}

func (p *bare) read(is func(map[string]any) bool) map[string]any {
	for p.out.Scan() {
		var m map[string]any
		if json.Unmarshal(p.out.Bytes(), &m) == nil && is(m) {
			return m
		}
	}
	p.b.Fatal("codex has ended")
	return nil
}

// ServeHTTP answers turns at once and the compaction once it is let go.
func (p *bare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if strings.Contains(string(body[max(0, len(body)-4000):]), "CONTEXT CHECKPOINT COMPACTION") && bytes.Contains(body, []byte(`"tools":[]`)) {
		close(p.held)
		<-p.free
	}
	p.n++
	tokens := 100
	if p.n == 1 {
		tokens = 50_000
	}
	w.Header().Set("Content-Type", "text/event-stream")
	item := fmt.Sprintf(`{"type":"message","id":"msg_%d","role":"assistant","content":[{"type":"output_text","text":"reply"}]}`, p.n)
	fmt.Fprintf(w, "data: {\"type\":\"response.created\",\"response\":{}}\n\n")
	fmt.Fprintf(w, "data: {\"type\":\"response.output_item.done\",\"item\":%s}\n\n", item)
	fmt.Fprintf(w, "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"resp_%d\",\"usage\":{\"input_tokens\":%d,\"output_tokens\":0,\"total_tokens\":%d}}}\n\n", p.n, tokens, tokens)
}
