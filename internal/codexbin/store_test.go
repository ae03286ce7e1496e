package codexbin

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpen(t *testing.T) {
	t.Setenv("HELDSTREAM_CACHE", "")
	t.Setenv("XDG_CACHE_HOME", "/somewhere")
	t.Setenv("HOME", "/somewhere")
	s, err := Open(nil)
	require.NoError(t, err)
	require.Equal(t, "heldstream", filepath.Base(s.Dir))
	require.Contains(t, s.Dir, "/somewhere")

	t.Setenv("HELDSTREAM_CACHE", "mine")
	s, err = Open(nil)
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(s.Dir))
	require.Equal(t, "mine", filepath.Base(s.Dir))
}

func TestListPathRemove(t *testing.T) {
	w := newWorld(t, "ok")
	all, err := w.List()
	require.NoError(t, err)
	require.Empty(t, all)
	for _, v := range []string{"0.171.0", "0.20.0"} {
		_, err := w.Install(t.Context(), v)
		require.NoError(t, err)
	}
	require.NoError(t, os.MkdirAll(w.folder("0.159.1"), 0o777)) // half-installed
	all, err = w.List()
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, []string{"0.20.0", "0.171.0"}, []string{all[0].Version, all[1].Version})
	path, err := w.Path("0.171.0")
	require.NoError(t, err)
	require.Equal(t, Binary{path, "0.171.0", FromCache}, all[1])

	require.NoError(t, os.Chmod(path, 0o644))
	_, err = w.Path("0.171.0")
	require.Error(t, err, "what cannot be run is not installed")

	_, err = w.Path("0.159.1")
	require.ErrorContains(t, err, "replay codex install 0.159.1")
	_, err = w.Path("../../etc")
	require.ErrorContains(t, err, "is no codex version")

	require.NoError(t, w.Remove("0.171.0"))
	require.NoError(t, w.Remove("0.159.1"), "a broken one can be removed too")
	require.Equal(t, []string{"0.20.0"}, w.names(t))
	require.ErrorContains(t, w.Remove("0.171.0"), "is not installed")
	require.ErrorContains(t, w.Remove(".."), "is no codex version")

	l, _, err := tryLock(w.lockFile("0.20.0"))
	require.NoError(t, err)
	defer l.Close()
	require.ErrorContains(t, w.Remove("0.20.0"), "is being installed by another process")
}

func TestVersions(t *testing.T) {
	w := newWorld(t, "ok")
	all, err := w.Versions(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"0.9.0", "0.20.0", "0.142.1", "0.171.0"}, all)

	w = newWorld(t, "unreachable")
	_, err = w.Versions(t.Context())
	require.ErrorContains(t, err, "the registry cannot be reached")
}

func TestCompareVersions(t *testing.T) {
	ordered := []string{"0.9.0", "0.20.0", "0.171.0-alpha.1", "0.171.0-beta", "0.171.0", "0.171.1", "1.0.0"}
	shuffled := slices.Clone(ordered)
	slices.Reverse(shuffled)
	slices.SortFunc(shuffled, CompareVersions)
	require.Equal(t, ordered, shuffled)
}

func TestPlatformNames(t *testing.T) {
	tests := []struct{ os, arch, npm, triple, other string }{
		{"linux", "amd64", "linux-x64", "x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"},
		{"linux", "arm64", "linux-arm64", "aarch64-unknown-linux-musl", "aarch64-apple-darwin"},
		{"darwin", "arm64", "darwin-arm64", "aarch64-apple-darwin", "x86_64-apple-darwin"},
	}
	for _, tt := range tests {
		p := platformOf(tt.os, tt.arch)
		require.Equal(t, tt.npm, p.npm)
		require.True(t, p.isBinary("x/vendor/"+tt.triple+"/bin/codex"))
		require.True(t, p.isBinary("x/vendor/"+tt.triple+"/codex"))
		require.True(t, p.isBinary("x/bin/codex-"+tt.triple))
		require.False(t, p.isBinary("x/vendor/"+tt.other+"/bin/codex"))
		require.False(t, p.isBinary("x/vendor/"+tt.triple+"/path/rg"))
		require.False(t, p.isBinary("x/vendor/"+tt.triple+"/bin/codex-code-mode-host"))
	}
}
