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

func TestNoFolder(t *testing.T) {
	w, err := filewatch.New()
	require.NoError(t, err)
	defer w.Close()
	require.ErrorContains(t, w.Add("none/file"), "the folder of none/file cannot be watched")
}
