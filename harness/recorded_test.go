package harness_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness"
)

const (
	emptyGolden = "golden 1 codex=0.171.0\n"
	noTape      = "the end line is missing"
)

// write makes files below a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return dir
}

func TestWhatIsLeftWithoutAScenarioIsFound(t *testing.T) {
	const scenario = "[matrix]\nsend = [\"steer\", \"queue\"]\n[[step]]\nsend = \"x\"\nbehavior = \"${send}\"\n"
	dir := write(t, map[string]string{
		"scenarios/a/one.toml":              scenario,
		"scenarios/a/deep/two.toml":         "[[step]]\nsettle = true\n",
		"scenarios/b/three.toml":            "[[step]]\nsettle = true\n",
		"scenarios/b/three.four.toml":       "[[step]]\nsettle = true\n",
		"golden/b/three.four.golden":        emptyGolden,
		"golden/a/one.send=steer.golden":    emptyGolden,
		"golden/a/one.send=replace.golden":  emptyGolden, // an axis lost a value
		"golden/a/one.send=queue@1.golden":  emptyGolden, // of another version
		"golden/a/gone.tape":                "",
		"golden/a/deep/gone.golden":         emptyGolden,
		"golden/a/deep/two.golden":          emptyGolden + "\n\n", // not as it is written
		"golden/b/three.tape":               "tape 1 {}\n",
		"golden/old/gone.golden":            emptyGolden, // its folder of scenarios is gone too
		"golden/failing/wanted.golden":      emptyGolden, // left out as the scenarios are
		"golden/embed.go":                   "package golden\n",
		"elsewhere/four.toml":               "[[step]]\nsettle = true\n",
		"elsewhere/four.golden/gone.golden": emptyGolden,
	})
	const orphan = "no scenario has a variant that it is of"
	all := map[string]string{
		"golden/a/deep/gone.golden": orphan, "golden/a/deep/two.golden": "replay update", "golden/a/gone.tape": orphan,
		"golden/a/one.send=replace.golden": orphan, "golden/b/three.tape": noTape, "golden/old/gone.golden": orphan,
	}
	for _, tt := range []struct {
		name  string
		paths []string
		below string // of these
		want  int
	}{
		{"the whole library", []string{"scenarios"}, "golden/", 6},
		{"an area", []string{"scenarios/b"}, "golden/b/", 1},
		{"an area with others below it", []string{"scenarios/a"}, "golden/a/", 4},
		{"a file: its own", []string{"scenarios/a/one.toml"}, "golden/a/one.send", 1},
		{"a file beside one whose name goes on", []string{"scenarios/b/three.toml"}, "golden/b/three.tape", 1},
		{"two of one area", []string{"scenarios/b", "scenarios/b"}, "golden/b/", 1},
		{"outside of a library", []string{"elsewhere"}, "elsewhere/", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var paths []string
			for _, p := range tt.paths {
				paths = append(paths, filepath.Join(dir, p))
			}
			files, faults := harness.Load(paths)
			require.Empty(t, faults)
			found := harness.CheckRecorded(paths, files)
			require.Len(t, found, tt.want, "%v", found)
			for _, f := range found {
				name, err := filepath.Rel(dir, f.File)
				require.NoError(t, err)
				require.True(t, strings.HasPrefix(name, tt.below), name)
				if says := all[name]; says != "" {
					require.Contains(t, f.Message, says)
				}
			}
		})
	}
}

func TestAnAreaThatCannotBeReadIsNotJudged(t *testing.T) {
	dir := write(t, map[string]string{
		"scenarios/a/good.toml": "[[step]]\nsettle = true\n", "scenarios/a/bad.toml": "[[step",
		"golden/a/bad.golden": emptyGolden,
	})
	require.Empty(t, harness.CheckRecorded([]string{filepath.Join(dir, "scenarios/a")}, nil))
}

func TestTheLibraryHasNothingLeftOver(t *testing.T) {
	require.Empty(t, harness.CheckRecorded([]string{"../scenarios"}, nil))
}
