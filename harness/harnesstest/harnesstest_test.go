package harnesstest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/harnesstest"
)

func TestScenarios(t *testing.T) { harnesstest.Run(t, "testdata/scenarios") }

// A stranger's module sees what Run does only through the exported package.
const strangersTest = `package stranger

import (
	"testing"

	"github.com/heldstream/heldstream/harness/harnesstest"
)

func TestScenarios(t *testing.T) { harnesstest.Run(t, "scenarios") }
`

const failing = `
[[reply]]
to  = "turn"
say = "no"

[[step]]
run = "hello"

[expect]
timeline = ["user: hello", "assistant: no", "assistant: no"]
`

func TestAStrangersModule(t *testing.T) {
	if os.Getenv("CODEX_BIN") == "" && os.Getenv("HELDSTREAM_LIVE") != "1" {
		t.Skip("no CODEX_BIN: make test brings codex and runs this live")
	}
	dir := stranger(t)
	out, err := gotest(dir, "-update")
	require.Error(t, err, "one of its scenarios fails")
	require.Contains(t, out, "--- PASS: TestScenarios/hello")
	require.Contains(t, out, "--- FAIL: TestScenarios/wrong")
	require.Contains(t, out, "- assistant: no")
	require.FileExists(t, filepath.Join(dir, "golden", "hello.golden"))

	require.True(t, artifactSomewhere(t, dir), "the page of the failed variant is kept")
}

func artifactSomewhere(t *testing.T, dir string) bool {
	found := false
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		found = found || filepath.Base(path) == "report.html"
		return err
	}))
	return found
}

// stranger makes a module of its own that uses this one.
func stranger(t *testing.T) string {
	repo, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	hello, err := os.ReadFile(filepath.Join("testdata", "scenarios", "hello.toml"))
	require.NoError(t, err)
	mod, err := os.ReadFile(filepath.Join(repo, "go.mod"))
	require.NoError(t, err)
	sum, err := os.ReadFile(filepath.Join(repo, "go.sum"))
	require.NoError(t, err)
	const ours = "github.com/heldstream/heldstream"
	own := strings.Replace(string(mod), "module "+ours, "module example.com/stranger", 1) +
		"\nrequire " + ours + " v0.0.0\nreplace " + ours + " => " + repo + "\n"
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": own, "go.sum": string(sum), "stranger_test.go": strangersTest,
		"scenarios/hello.toml": string(hello), "scenarios/wrong.toml": failing,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return dir
}

func gotest(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", append([]string{"test", "-v", "-artifacts", "-outputdir", dir, "."}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func Example() {
	// In a _test.go file beside testdata/scenarios:
	testScenarios := func(t *testing.T) { harnesstest.Run(t, "testdata/scenarios") }
	_ = testScenarios
}
