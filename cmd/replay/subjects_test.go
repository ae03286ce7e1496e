package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSubjects plays the library's scenarios about other subjects, with those in Go
// built anew. Those in JavaScript are what make clients has brought: without it
// they are skipped, unless all is to be played.
func TestSubjects(t *testing.T) {
	needsCodex(t)
	root := subjects(t)
	adapter := filepath.Join(root, "bin", "adapter-ts", "out", "adapter.js")
	library := []string{filepath.Join(root, "scenarios")}
	if os.Getenv("HELDSTREAM_LIVE") == "1" {
		library = append(library, "--no-skip")
	}
	out := played(t, root, library...)
	require.Regexp(t, `known_failure +subjects/manager send=replace`, out)
	require.Regexp(t, `pass +(subjects/manager )?send=steer`, out)

	t.Run("the adapter in TypeScript", func(t *testing.T) {
		if _, err := os.Stat(adapter); err != nil && os.Getenv("HELDSTREAM_LIVE") != "1" {
			t.Skip("bin/adapter-ts is not there: `make clients` brings it")
		}
		played(t, root, "--no-skip", "--manager", "node "+adapter, filepath.Join(root, "scenarios/subjects/adapter"))
	})
}

// subjects is a folder with the scenarios, their goldens and their subjects.
func subjects(t *testing.T) string {
	root := t.TempDir()
	for _, name := range []string{"scenarios/subjects", "golden/subjects"} {
		require.NoError(t, os.CopyFS(filepath.Join(root, name), os.DirFS(filepath.Join("..", "..", name))))
	}
	for bin, source := range map[string]string{"sample-manager": "manager", "openai-go": "openai-go"} {
		build := exec.Command("go", "build", "-o", filepath.Join(root, "bin", bin), "../../harness/testdata/"+source)
		out, err := build.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	for _, name := range []string{"openai-node", "adapter-ts"} {
		brought, err := filepath.Abs(filepath.Join("..", "..", "bin", name))
		require.NoError(t, err)
		require.NoError(t, os.Symlink(brought, filepath.Join(root, "bin", name)))
	}
	return root
}

// played runs replay, which must exit with 0.
func played(t *testing.T, root string, args ...string) string {
	replay := exec.Command("replay", append([]string{"run", "--codex", os.Getenv("CODEX_BIN")}, args...)...)
	replay.Env = append(os.Environ(), "HELDSTREAM_CACHE="+filepath.Join(root, "cache"))
	out, err := replay.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}
