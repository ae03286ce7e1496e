package golden

import (
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
