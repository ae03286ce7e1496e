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

	require.NotEmpty(t, artifact(t, dir), "the page of the failed variant is kept")
}

func TestWithoutACodexTapesArePlayed(t *testing.T) {
	dir := stranger(t)
	withoutCodex(t)
	recorded(t, dir, "hello.golden", "hello.golden", "")
	recorded(t, dir, "hello.tape", "hello.tape", "")
	recorded(t, dir, "hello.golden", "gone.golden", "")
	out, err := gotest(dir)
	require.Error(t, err, "a golden has no scenario")
	require.Contains(t, out, "--- PASS: TestScenarios/hello")
	require.Contains(t, out, "--- SKIP: TestScenarios/wrong")
	require.Regexp(t, "wrong.tape: there is no tape; .*`replay codex install` brings a codex", out)
	require.Contains(t, out, "gone.golden:1:1: no scenario has a variant that it is of")
}

func TestThePageOfAnotherGoldenSaysSo(t *testing.T) {
	dir := stranger(t)
	require.NoError(t, os.Remove(filepath.Join(dir, "scenarios", "wrong.toml")))
	withoutCodex(t)
	recorded(t, dir, "hello.tape", "hello.tape", "")
	recorded(t, dir, "hello.golden", "hello.golden", "hello")
	_, err := gotest(dir)
	require.Error(t, err)
	page := artifact(t, dir)
	require.NotEmpty(t, page)
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(data), "the run that the golden tells of")
}

// withoutCodex leaves a test no codex but tapes.
func withoutCodex(t *testing.T) {
	tool, err := exec.LookPath("go")
	require.NoError(t, err)
	t.Setenv("CODEX_BIN", "")
	t.Setenv("HELDSTREAM_LIVE", "")
	t.Setenv("HELDSTREAM_CACHE", t.TempDir())
	t.Setenv("PATH", filepath.Dir(tool)+":/usr/bin:/bin")
}

// recorded puts what was recorded of hello into a stranger's folder, with a word
// of it changed.
func recorded(t *testing.T, dir, file, name, word string) {
	data, err := os.ReadFile(filepath.Join("testdata", "golden", file))
	require.NoError(t, err)
	text := string(data)
	if word != "" {
		text = strings.Replace(text, word, "goodbye", 1)
	}
	write(t, filepath.Join(dir, "golden", name), text)
}

// artifact is the page that a failed test left below dir, "" for none.
func artifact(t *testing.T, dir string) string {
	found := ""
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if filepath.Base(path) == "report.html" {
			found = path
		}
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
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

func write(t *testing.T, file, text string) {
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
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
