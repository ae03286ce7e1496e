package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary is also replay, and codex in several bad moods.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"replay":        main,
		"codex-dies":    func() { fake(dies) },
		"codex-garbage": func() { fake(garbage) },
		"codex-mute":    func() { fake(mute) },
		"codex-litters": func() { fake(litters) },
	})
}

func TestScripts(t *testing.T) {
	repo, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			bin, _, _ := strings.Cut(env.Getenv("PATH"), string(os.PathListSeparator))
			env.Values[background{}] = &process{}
			env.Setenv("BIN", bin)
			env.Setenv("REPO", repo)
			env.Setenv("HELDSTREAM_CACHE", filepath.Join(env.WorkDir, "cache"))
			env.Setenv("LIVE_CODEX", os.Getenv("CODEX_BIN"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exitcode": exitcode, "nothingleft": nothingLeft, "withoutknown": withoutKnown,
			"signaled": signaled, "start": start, "reads": reads, "ends": ends, "fetch": fetch,
		},
		Condition: func(cond string) (bool, error) {
			if cond == "live" {
				return live(t), nil
			}
			return false, fmt.Errorf("no condition %q", cond)
		},
	})
}

// exitcode runs a command that must exit with a code: exitcode CODE COMMAND ARG ...
func exitcode(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	var exited *exec.ExitError
	code := 0
	if errors.As(err, &exited) {
		code = exited.ExitCode()
	} else {
		ts.Check(err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d, wanted %s", code, args[0])
	}
}

// signaled runs a command, sends it a signal once its codex runs, and wants what
// that comes to: signaled INT|TERM|KILL CODE COMMAND ARG ...
func signaled(ts *testscript.TestScript, _ bool, args []string) {
	sig := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}[args[0]]
	bin, err := exec.LookPath(filepath.Join(ts.Getenv("BIN"), args[2]))
	ts.Check(err)
	cmd := exec.Command(bin, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "CODEX_BIN="+ts.Getenv("CODEX_BIN"), "HELDSTREAM_CACHE="+ts.Getenv("HELDSTREAM_CACHE"))
	var out strings.Builder
	cmd.Stdout = &out
	started := filepath.Join(ts.Getenv("HELDSTREAM_CACHE"), startedPipe)
	_ = os.Remove(started) // of the run before, if there was one
	ts.Check(syscall.Mkfifo(started, 0o600))
	ts.Check(cmd.Start())
	_, err = os.ReadFile(started) // until the fake has opened and closed it
	ts.Check(err)
	ts.Check(cmd.Process.Signal(sig))
	var exited *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exited) || fmt.Sprint(exited.ExitCode()) != args[1] {
		ts.Fatalf("wanted exit code %s, got %v", args[1], err)
	}
	if sig != syscall.SIGKILL && !strings.Contains(out.String(), "interrupted: these are the variants that were finished") {
		ts.Fatalf("the partial report is missing: %s", out.String())
	}
}

// nothingLeft: no folder of a run, and no process that was started in one.
func nothingLeft(ts *testscript.TestScript, _ bool, _ []string) {
	work := filepath.Join(ts.Getenv("HELDSTREAM_CACHE"), "work")
	entries, err := os.ReadDir(work)
	ts.Check(err)
	if len(entries) > 0 {
		ts.Fatalf("left in %s: %v", work, entries)
	}
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	ts.Check(err)
	for _, file := range all {
		if env, err := os.ReadFile(file); err == nil && strings.Contains(string(env), "HOME="+work) {
			ts.Fatalf("still runs: %s", file)
		}
	}
}

// withoutKnown copies a scenario without its known_failure blocks.
func withoutKnown(ts *testscript.TestScript, _ bool, args []string) {
	data := ts.ReadFile(args[0])
	kept, _, found := strings.Cut(data, "[[known_failure]]")
	if !found {
		ts.Fatalf("%s has no known_failure", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(kept), 0o600))
}

// needsCodex skips a test where there is no codex, or fails it (see live).
func needsCodex(t *testing.T) {
	t.Helper()
	if !live(t) {
		t.Skip("no CODEX_BIN: make test brings codex and runs this live")
	}
}

// live reports whether there is a codex for live tests; with HELDSTREAM_LIVE=1
// there must be.
func live(t *testing.T) bool {
	if os.Getenv("CODEX_BIN") != "" {
		return true
	}
	if os.Getenv("HELDSTREAM_LIVE") == "1" {
		t.Fatal("HELDSTREAM_LIVE=1 and no CODEX_BIN: set it to a codex binary, or use make test")
	}
	return false
}

// fake is a codex: it tells its version, and has one way to be an app-server.
func fake(serve func()) {
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println("codex-cli 0.171.0")
		return
	}
	signal.Ignore(syscall.SIGTERM)
	serve()
}

func dies() {
	fmt.Fprintln(os.Stderr, "thread 'main' panicked: out of cheese")
	os.Exit(7)
}

// garbage answers every line with one that is no JSON.
func garbage() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println("<html>502 Bad Gateway</html>")
	}
}

// startedPipe stands in the cache folder; a codex tells by opening it, from its
// workspace three folders below, that it runs.
const startedPipe = "started"

// mute reads and never answers, not even when its input ends.
func mute() {
	if pipe, err := os.OpenFile(filepath.Join("..", "..", "..", startedPipe), os.O_WRONLY, 0); err == nil {
		_ = pipe.Close()
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
	}
	<-context.Background().Done()
}

// litters leaves a process in a session of its own, and is mute.
func litters() {
	child := exec.Command("setsid", "sleep", "1000")
	if err := child.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	mute()
}
