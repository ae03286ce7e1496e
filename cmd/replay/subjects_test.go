package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSubjects plays the library's scenarios about other subjects, with what they
// need built anew. Those whose language is not on this machine are skipped.
func TestSubjects(t *testing.T) {
	if !live(t) {
		t.Skip("no CODEX_BIN")
	}
	root := t.TempDir()
	for _, name := range []string{"scenarios/subjects", "golden/subjects"} {
		require.NoError(t, os.CopyFS(filepath.Join(root, name), os.DirFS(filepath.Join("..", "..", name))))
	}
	for bin, source := range map[string]string{"sample-manager": "manager", "openai-go": "openai-go"} {
		build := exec.Command("go", "build", "-o", filepath.Join(root, "bin", bin), "../../harness/testdata/"+source)
		out, err := build.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	replay := exec.Command("replay", "run", "--codex", os.Getenv("CODEX_BIN"), filepath.Join(root, "scenarios"))
	replay.Env = append(os.Environ(), "HELDSTREAM_CACHE="+filepath.Join(root, "cache"))
	out, err := replay.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Regexp(t, `known_failure +subjects/manager send=replace`, string(out))
	require.Regexp(t, `pass +(subjects/manager )?send=steer`, string(out))
}
