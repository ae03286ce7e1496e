package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestUpdateWritesOnlyWhatChanged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a", "b.golden")
	changed, err := Update(file, sampleFile())
	require.NoError(t, err)
	require.True(t, changed)

	before, err := os.Stat(file)
	require.NoError(t, err)
	changed, err = Update(file, sampleFile())
	require.NoError(t, err)
	require.False(t, changed)
	after, err := os.Stat(file)
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after), "nothing is written for an equal golden")

	changed, err = Update(file, File{Version: "0.159.1"})
	require.NoError(t, err)
	require.True(t, changed)
	entries, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file is left")
}

func TestAReplaceThatFailsLeavesTheOldFileAlone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.golden")
	require.NoError(t, Replace(file, []byte("old")))
	other := file + ".new" // what another program is just writing
	require.NoError(t, os.WriteFile(other, []byte("half"), 0o600))
	full := fmt.Sprintf("%s.%d.new", file, os.Getpid())
	require.NoError(t, os.Symlink("/dev/full", full))
	require.ErrorContains(t, Replace(file, []byte("new")), "no space left")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "old", string(data))
	require.NoFileExists(t, full)

	require.NoError(t, Replace(file, []byte("new")))
	data, err = os.ReadFile(other)
	require.NoError(t, err)
	require.Equal(t, "half", string(data))
}

func TestRead(t *testing.T) {
	f, err := Read(strings.NewReader(sample))
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(sampleFile(), f))
	_, err = Read(strings.NewReader(sample + "\n"))
	require.ErrorContains(t, err, "replay update")
	_, err = Read(strings.NewReader(strings.Repeat("x", MaxBytes+2)))
	require.ErrorContains(t, err, "more than")
}

func TestOrphans(t *testing.T) {
	fsys := fstest.MapFS{}
	for _, name := range []string{
		"golden/embed.go",
		"golden/a/b.send=steer.golden",
		"golden/a/b.send=steer@0.159.1.golden",
		"golden/a/b.send=steer.tape",
		"golden/a/b.send=queue.golden",
		"golden/a/gone@0.159.1.golden",
		"golden/a/gone.tape",
		"golden/c.golden",
	} {
		fsys[name] = &fstest.MapFile{}
	}
	expected := []string{
		Path("scenarios/a/b.toml", []Axis{{"send", "steer"}}, ""),
		Path("scenarios/c.toml", nil, ""),
	}
	got, err := Orphans(fsys, "golden", expected)
	require.NoError(t, err)
	require.Equal(t, []string{"golden/a/b.send=queue.golden", "golden/a/gone.tape", "golden/a/gone@0.159.1.golden"}, got)

	got, err = Orphans(fsys, "nowhere", expected)
	require.NoError(t, err)
	require.Empty(t, got)
}
