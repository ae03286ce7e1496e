package harnesstest_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/harnesstest"
)

// sampleManager builds the sample, and returns it with a folder of one scenario,
// whose own manager is not on any machine.
func sampleManager(t *testing.T) (bin, scenarios string) {
	dir := t.TempDir()
	bin = filepath.Join(dir, "manager")
	out, err := exec.Command("go", "build", "-o", bin, "../testdata/manager").CombinedOutput()
	require.NoError(t, err, string(out))
	scenario, err := os.ReadFile("../../scenarios/subjects/adapter/create.toml")
	require.NoError(t, err)
	scenarios = filepath.Join(dir, "scenarios")
	require.NoError(t, os.Mkdir(scenarios, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(scenarios, "create.toml"), scenario, 0o600))
	return bin, scenarios
}

func TestOnAManagerThatIsAProgram(t *testing.T) {
	bin, scenarios := sampleManager(t)
	harnesstest.Run(t, scenarios, harnesstest.OnManager(bin))
}

// The function passes all on to the sample, so that a codex is behind it.
func TestOnAManagerThatIsAFunction(t *testing.T) {
	bin, scenarios := sampleManager(t)
	var ended error
	harnesstest.Run(t, scenarios, harnesstest.InProcess(func(calls io.Reader, lines io.Writer) error {
		cmd := exec.Command(bin)
		cmd.Stdin, cmd.Stdout = calls, lines
		ended = cmd.Run()
		return ended
	}))
	require.NoError(t, ended)
}

func ExampleInProcess() {
	serve := func(calls io.Reader, lines io.Writer) error {
		// Read a call a line, do with your manager what it says, and write a line.
		return nil
	}
	testMyManager := func(t *testing.T) {
		harnesstest.Run(t, "testdata/scenarios", harnesstest.InProcess(serve))
	}
	_ = testMyManager
}

func ExampleOnManager() {
	testMyManager := func(t *testing.T) {
		harnesstest.Run(t, "testdata/scenarios", harnesstest.OnManager("node", "adapter.js"))
	}
	_ = testMyManager
}
