package codex_test

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/heldstream/heldstream/agentcore/codex/codextest"
)

// roleVariable makes the test binary play a codex instead of running tests.
const roleVariable = "CODEX_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		roles[role]()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

var roles = map[string]func(){
	"plain": func() { serve(&codextest.Server{}) },
	// torn writes one byte at a time.
	"torn": func() {
		if err := codextest.Serve(&codextest.Server{}, os.Stdin, torn{}); err != nil {
			panic(err)
		}
	},
	"hang": func() { serve(&codextest.Server{Silent: []string{"initialize"}}) },
	// deaf ends neither with its input nor when it is asked to.
	"deaf": func() {
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		serve(&codextest.Server{})
		for range asked {
		}
	},
	"garbage": func() {
		fmt.Println("frob 1.0: ready")
		serve(&codextest.Server{})
	},
	"endless": func() {
		fmt.Print(strings.Repeat("x", 1<<20))
		serve(&codextest.Server{})
	},
	"crash": func() {
		s := &codextest.Server{}
		s.Received = func(c codextest.Call) {
			if c.Method == "turn/start" {
				fmt.Fprintln(os.Stderr, "thread 'main' panicked at the turn")
				os.Exit(101)
			}
		}
		serve(s)
	},
}

func serve(s *codextest.Server) {
	if err := codextest.Serve(s, os.Stdin, os.Stdout); err != nil {
		panic(err)
	}
}

type torn struct{}

func (torn) Write(b []byte) (int, error) {
	for i := range b {
		if _, err := os.Stdout.Write(b[i : i+1]); err != nil {
			return i, err
		}
	}
	return len(b), nil
}
