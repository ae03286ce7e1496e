package filewatch_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/heldstream/heldstream/internal/filewatch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestChanges(t *testing.T) {
	for reason, change := range map[string]func(dir, file string) error{
		"it is written":     func(_, file string) error { return os.WriteFile(file, []byte("b"), 0o600) },
		"it is replaced":    func(dir, file string) error { return os.Rename(other(t, dir), file) },
		"one comes beside":  func(dir, _ string) error { return os.WriteFile(filepath.Join(dir, "in", "new"), nil, 0o600) },
		"it was not there":  func(dir, _ string) error { return os.WriteFile(filepath.Join(dir, "later"), nil, 0o600) },
		"after other files": func(dir, file string) error { other(t, dir); return os.WriteFile(file, nil, 0o600) },
	} {
		t.Run(reason, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "file")
			require.NoError(t, os.WriteFile(file, []byte("a"), 0o600))
			require.NoError(t, os.Mkdir(filepath.Join(dir, "in"), 0o700))
			w, err := filewatch.New()
			require.NoError(t, err)
			defer w.Close()
			require.NoError(t, w.Add(file, filepath.Join(dir, "in"), filepath.Join(dir, "later")))
			require.NoError(t, change(dir, file))
			require.NoError(t, w.Next(t.Context()))
		})
	}
}

func other(t *testing.T, dir string) string {
	file := filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(file, []byte("c"), 0o600))
	return file
}

func TestOthersAreNoChange(t *testing.T) {
	dir := t.TempDir()
	w, err := filewatch.New()
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, w.Add(filepath.Join(dir, "file")))
	other(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, w.Next(ctx), context.Canceled)
}

// made puts a file into its folder, which it makes if it must.
func made(t *testing.T, file, text string) {
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// sees waits for changes until the file says the text.
func sees(t *testing.T, w *filewatch.Watcher, file, text string) {
	for {
		require.NoError(t, w.Next(t.Context()))
		if data, _ := os.ReadFile(file); string(data) == text {
			return
		}
	}
}

func TestFoldersComeAndGo(t *testing.T) {
	for reason, lose := range map[string]func(dir string) error{
		"its folder is removed":                func(dir string) error { return os.RemoveAll(filepath.Join(dir, "a", "b")) },
		"its folder is moved":                  func(dir string) error { return os.Rename(filepath.Join(dir, "a", "b"), filepath.Join(dir, "c")) },
		"the folder of its folder is removed":  func(dir string) error { return os.RemoveAll(filepath.Join(dir, "a")) },
		"nothing happens to it: it comes back": func(string) error { return nil },
	} {
		for what, name := range map[string]string{"file": "a/b/file", "folder": "a/b"} {
			t.Run(what+"/"+reason, func(t *testing.T) {
				dir := t.TempDir()
				file := filepath.Join(dir, "a", "b", "file")
				w, err := filewatch.New()
				require.NoError(t, err)
				defer w.Close()
				require.NoError(t, w.Add(filepath.Join(dir, name)), "no folder is there yet")
				made(t, file, "came")
				sees(t, w, file, "came")
				require.NoError(t, w.Add(filepath.Join(dir, name)))
				require.NoError(t, lose(dir))
				made(t, file, "again")
				sees(t, w, file, "again")
				made(t, file, "later")
				sees(t, w, file, "later")
			})
		}
	}
}

// The folder is away while changes are looked for, and comes afterwards.
func TestFolderIsAwayForAWhile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a", "b", "file")
	made(t, file, "first")
	w, err := filewatch.New()
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, w.Add(file))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "a")))
	require.NoError(t, w.Next(t.Context()), "its loss is a change")
	made(t, file, "again")
	sees(t, w, file, "again")
}

func TestClosed(t *testing.T) {
	w, err := filewatch.New()
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.ErrorContains(t, w.Add("none/file"), "the folder of none/file cannot be watched")
}
