package harness_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/heldstream/heldstream/harness/codexshim"
)

// moodWord makes the test program a manager in the mood that follows.
const moodWord = "in-a-mood"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == codexshim.Word {
		os.Exit(codexshim.Main(os.Args[2:]))
	}
	if len(os.Args) < 3 || os.Args[1] != moodWord {
		goleak.VerifyTestMain(m)
		return
	}
	err := moods[os.Args[2]].serve(os.Stdin, os.Stdout)
	var code exitCode
	switch {
	case errors.As(err, &code):
		fmt.Fprintln(os.Stderr, "out of cheese")
		os.Exit(int(code))
	case err != nil:
		os.Exit(1)
	}
}
