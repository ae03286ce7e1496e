package interact

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what came of the inputs into the transcripts")

// TestTranscripts plays the transcripts in testdata: each must come out as it
// stands there. What they are about is named in their remarks.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/machine/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			got, err := Play(file, want)
			require.NoError(t, err)
			require.NotContains(t, string(got), "VIOLATED")
			if *update && !bytes.Equal(got, want) {
				require.NoError(t, os.WriteFile(file, got, 0o644))
				return
			}
			require.Equal(t, string(want), string(got), "play it again with -update and read what has changed")
		})
	}
}

func TestPlayingAgainChangesNothing(t *testing.T) {
	data := []byte("# remark\ncreate\n\nsend \"two words\" steer id=a\n\nack start t1\n")
	once, err := Play("x", data)
	require.NoError(t, err)
	twice, err := Play("x", once)
	require.NoError(t, err)
	require.Equal(t, string(once), string(twice))
}
