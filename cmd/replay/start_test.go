package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const startScript = `
[[reply]]
to  = "turn"
say = "Hello."
`

const startBody = `{"model":"m","stream":true,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}]}`

// BenchmarkFirstReply measures from the start of `replay serve` to the end of
// its first streamed reply, and beside it a process that only says its version:
// what starting costs on this machine at all.
func BenchmarkFirstReply(b *testing.B) {
	replay := build(b)
	file := filepath.Join(b.TempDir(), "hello.toml")
	if err := os.WriteFile(file, []byte(startScript), 0o600); err != nil {
		b.Fatal(err)
	}
	var first, bare []time.Duration
	for b.Loop() {
		bare = append(bare, timed(b, func() error { return exec.Command(replay, "version").Run() }))
		first = append(first, firstReply(b, replay, file))
	}
	b.ReportMetric(median(first), "ms/first-reply")
	b.ReportMetric(median(bare), "ms/version")
}

func median(all []time.Duration) (milliseconds float64) {
	slices.Sort(all)
	return all[len(all)/2].Seconds() * 1000
}

func firstReply(b *testing.B, replay, file string) time.Duration {
	cmd := exec.Command(replay, "serve", file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	took := timed(b, func() error {
		if err := cmd.Start(); err != nil {
			return err
		}
		base, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			return err
		}
		return askOnce(strings.TrimSpace(strings.TrimPrefix(base, "base URL")))
	})
	_ = cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return took
}

func askOnce(base string) error {
	resp, err := http.Post(base+"/responses", "application/json", strings.NewReader(startBody))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	text, err := io.ReadAll(resp.Body)
	if err == nil && !strings.Contains(string(text), "response.completed") {
		err = fmt.Errorf("%s: %s", resp.Status, text)
	}
	return err
}
