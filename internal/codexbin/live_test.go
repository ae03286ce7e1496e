package codexbin

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The user's npm and its registry, for once in earnest.
func TestLiveInstall(t *testing.T) {
	if os.Getenv("HELDSTREAM_NPM") != "1" {
		t.Skip("downloads codex; set HELDSTREAM_NPM=1 to run it")
	}
	s := &Store{Dir: t.TempDir(), Out: t.Output()}
	for _, version := range []string{Default, "0.111.0"} {
		path, err := s.Install(t.Context(), version)
		require.NoError(t, err)
		b, err := s.Find(version)
		require.NoError(t, err)
		require.Equal(t, Binary{path, version, FromCache}, b)
	}
	_, err := s.Install(t.Context(), "0.142.1")
	require.ErrorAs(t, err, new(*NoBinary))
	_, err = s.Install(t.Context(), "9.9.9")
	require.ErrorContains(t, err, "npm lists no such version")
	all, err := s.Versions(t.Context())
	require.NoError(t, err)
	require.Contains(t, all, Default)
	t.Logf("%d versions", len(all))
}
