package codex

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQuirksAreHeld: every row names a live test that there is, and that looks
// at the quirk.
func TestQuirksAreHeld(t *testing.T) {
	files, err := filepath.Glob("live_*test.go")
	require.NoError(t, err)
	var all strings.Builder
	for _, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		all.Write(b)
	}
	for _, row := range quirkTable {
		require.Contains(t, all.String(), "func "+row.heldBy+"(t *testing.T)", row.name)
		if row.name != "SwallowsCompactSteer" { // the client itself refuses: nothing to tell apart
			require.Contains(t, all.String(), "quirks."+row.name, row.name)
		}
	}
}
