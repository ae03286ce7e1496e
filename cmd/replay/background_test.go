package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// background is the key of a script's process that runs beside it.
type background struct{}

// process is a replay that a script reads from line by line: it waits for what
// is printed, not for time.
type process struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
	seen  []string
}

func running(ts *testscript.TestScript) *process { return ts.Value(background{}).(*process) }

// start starts replay in the background: start ARG ...
func start(ts *testscript.TestScript, _ bool, args []string) {
	p := running(ts)
	bin, err := exec.LookPath(filepath.Join(ts.Getenv("BIN"), "replay"))
	ts.Check(err)
	r, w, err := os.Pipe()
	ts.Check(err)
	p.cmd = exec.Command(bin, args...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = ts.MkAbs("."), w, w
	p.cmd.Env = append(os.Environ(), "HELDSTREAM_CACHE="+ts.Getenv("HELDSTREAM_CACHE"), "CODEX_BIN=", "NO_COLOR=1")
	ts.Check(p.cmd.Start())
	ts.Check(w.Close())
	p.lines, p.seen = bufio.NewScanner(r), nil
	ts.Defer(func() {
		_ = p.cmd.Process.Kill() // it has ended in a script that passed
		_ = r.Close()
	})
}

// reads reads what the process prints up to a line that matches; what a group in
// parentheses matched becomes a variable: reads REGEXP [VARIABLE]
func reads(ts *testscript.TestScript, _ bool, args []string) {
	p, re := running(ts), regexp.MustCompile(args[0])
	guard := time.AfterFunc(20*time.Second, func() { _ = p.cmd.Process.Kill() }) // so that the script can say what is missing
	defer guard.Stop()
	for p.lines.Scan() {
		p.seen = append(p.seen, p.lines.Text())
		if m := re.FindStringSubmatch(p.lines.Text()); m != nil {
			if len(args) > 1 {
				ts.Setenv(args[1], m[1])
			}
			return
		}
	}
	ts.Fatalf("it ended without a line like %q:\n%s", args[0], strings.Join(p.seen, "\n"))
}

// ends interrupts the process, and wants its exit code: ends CODE
func ends(ts *testscript.TestScript, _ bool, args []string) {
	p := running(ts)
	ts.Check(p.cmd.Process.Signal(os.Interrupt))
	for p.lines.Scan() { // so that it can write to its end
	}
	err := p.cmd.Wait()
	if exited := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exited) || fmt.Sprint(p.cmd.ProcessState.ExitCode()) != args[0] {
		ts.Fatalf("wanted exit code %s, got %v", args[0], err)
	}
}

// fetch makes a request and prints the answer: fetch METHOD URL [BODY]
func fetch(ts *testscript.TestScript, _ bool, args []string) {
	body := ""
	if len(args) > 2 {
		body = args[2]
	}
	req, err := http.NewRequest(args[0], args[1], strings.NewReader(body))
	ts.Check(err)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer func() { _ = res.Body.Close() }() // it was only read
	text, err := io.ReadAll(res.Body)
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%s\n%s\n", res.Status, text)
	ts.Check(err)
}
