package proc_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/heldstream/heldstream/internal/proc"
)

// roleVariable makes the test binary play a child instead of running tests.
const roleVariable = "PROC_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		roles[role]()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

var roles = map[string]func(){
	"echo": func() {
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			fmt.Println("echo " + lines.Text())
		}
		fmt.Print("bye, without an end")
	},
	"early": func() {
		fmt.Fprintln(os.Stderr, "panicked at the first line")
		os.Exit(3)
	},
	"stubborn": func() {
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		block()
	},
	"deaf": func() { // reads nothing
		fmt.Println("ready")
		block()
	},
	"long line": func() {
		fmt.Println(strings.Repeat("x", 5000))
		block()
	},
	"flood": func() {
		for range 1000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 200))
		}
		fmt.Fprintln(os.Stderr, "the last words")
	},
	"parent": func() { // of a session of its own that holds our output open
		fmt.Println(startSession())
		_, _ = io.Copy(io.Discard, os.Stdin)
	},
	"owner": func() {
		work, err := proc.OpenWork(os.Getenv("PROC_TEST_ROOT"))
		if err != nil {
			panic(err)
		}
		os.Setenv(proc.MarkVariable, work.Mark())
		fmt.Println(startSession())
		block()
	},
}

// startSession starts a process that leaves group and session, and returns
// its id once it runs.
func startSession() int {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"=stubborn")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		panic(err)
	}
	return cmd.Process.Pid
}

// block waits for a signal that nobody sends.
func block() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR2)
	<-c
}
