package codexbin

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFindOrder(t *testing.T) {
	const env, cache, path = "0.159.1", "0.171.0", "0.153.3"
	tests := []struct {
		name, spec, places string // places: what there is
		version, from      string
	}{
		{"the variable comes first", "", "env cache path", env, FromEnv},
		{"auto", "auto", "cache path", cache, FromCache},
		{"live", "live", "path", path, FromPath},
		{"a version in the cache", "0.171.0", "env cache path", cache, FromCache},
		{"live@", "live@0.171.0", "env cache path", cache, FromCache},
		{"a version that the variable has", "0.159.1", "env cache path", env, FromEnv},
		{"a version that PATH has", "0.153.3", "env cache path", path, FromPath},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, "none")
			bin := t.TempDir()
			t.Chdir(t.TempDir())
			writeCodex("relative/codex", "9.9.9") // never taken: a folder of a stranger
			if strings.Contains(tt.places, "env") {
				writeCodex(bin+"/mine", env)
				w.env["CODEX_BIN"] = bin + "/mine"
			}
			if strings.Contains(tt.places, "cache") {
				writeCodex(filepath.Join(w.folder(cache), "vendor", triple(), "codex/codex"), cache)
			}
			if strings.Contains(tt.places, "path") {
				writeCodex(bin+"/codex", path)
				w.env["PATH"] = ":relative:" + t.TempDir() + ":" + bin
			}
			got, err := w.Find(tt.spec)
			require.NoError(t, err)
			require.Equal(t, tt.version, got.Version)
			require.Equal(t, tt.from, got.From)
			says, err := probe(t.Context(), got.Path)
			require.NoError(t, err)
			require.Equal(t, tt.version, says)
		})
	}
}

func TestFindSaysWhatToType(t *testing.T) {
	w := newWorld(t, "none")
	bin := t.TempDir()
	writeCodex(bin+"/mine", "0.159.1")
	writeCodex(bin+"/codex", "0.153.3")
	tests := []struct {
		name, spec, env, path string
		version, looked       string
	}{
		{"nothing there", "", "", "", Default, w.folder(Default) + ", PATH"},
		{"other versions only", "0.130.0", bin + "/mine", bin, "0.130.0",
			"CODEX_BIN, which is 0.159.1, " + w.folder("0.130.0") + ", PATH, which has 0.153.3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w.env["CODEX_BIN"], w.env["PATH"] = tt.env, tt.path
			_, err := w.Find(tt.spec)
			var missing *NotFound
			require.ErrorAs(t, err, &missing)
			require.Equal(t, "replay codex install "+tt.version, missing.Command())
			require.EqualError(t, err, "no codex "+tt.version+" on this machine (looked in "+tt.looked+"); type: replay codex install "+tt.version)
		})
	}
}

func TestFindTakesNothingElseInstead(t *testing.T) {
	w := newWorld(t, "none")
	bin := t.TempDir()
	writeCodex(bin+"/codex", "0.171.0")
	w.env["PATH"] = bin
	require.NoError(t, os.WriteFile(bin+"/liar", []byte("#!/bin/sh\necho something else entirely\n"), 0o777))
	require.NoError(t, os.WriteFile(bin+"/dead", []byte("#!/bin/sh\nexit 3\n"), 0o777))
	tests := []struct{ name, spec, env, want string }{
		{"variable without a file", "", bin + "/none", "(CODEX_BIN) cannot be used: there is no such file"},
		{"variable with another program", "", bin + "/liar", "this is no codex"},
		{"a program that fails", bin + "/dead", "", "exit status 3"},
		{"a path without a file", "./nowhere", "", "codex ./nowhere (argument) cannot be used: there is no such file"},
		{"a tape", "tape", "", "a tape needs no binary"},
		{"a word", "newest", "", `--codex "newest": want live, auto`},
		{"an evil version", "live@0.1.0-../../x", "", "cannot be used"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w.env["CODEX_BIN"] = tt.env
			_, err := w.Find(tt.spec)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestABrokenCodexOnPathIsNotTaken(t *testing.T) {
	w := newWorld(t, "none")
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(bin+"/codex", []byte("#!/bin/sh\nexit 3\n"), 0o777))
	w.env["PATH"] = bin
	_, err := w.Find("")
	require.ErrorContains(t, err, "PATH, where "+bin+"/codex does not run")
}

// npm puts a script on PATH; node must not stand between us and codex.
func TestTheScriptOfNPMIsSteppedOver(t *testing.T) {
	for _, place := range []string{"codex/node_modules/@openai/codex-x", "codex-x", "codex"} {
		t.Run(place, func(t *testing.T) {
			w := newWorld(t, "none")
			bin, root := t.TempDir(), filepath.Join(t.TempDir(), "node_modules/@openai")
			binary := filepath.Join(root, place, "vendor", triple(), "bin/codex")
			writeCodex(binary, "0.171.0")
			writeCodex(root+"/codex/bin/codex.js", "0.0.0")
			require.NoError(t, os.Symlink(root+"/codex/bin/codex.js", bin+"/codex"))
			w.env["PATH"] = bin
			got, err := w.Find("")
			require.NoError(t, err)
			require.Equal(t, Binary{binary, "0.171.0", FromPath}, got)
		})
	}
}

func TestVersionsAreRememberedUntilTheFileChanges(t *testing.T) {
	w := newWorld(t, "none")
	bin := t.TempDir()
	script := "#!/bin/sh\necho x >> " + bin + "/count\necho codex-cli VERSION\n"
	write := func(version string) {
		require.NoError(t, os.WriteFile(bin+"/codex", []byte(strings.Replace(script, "VERSION", version, 1)), 0o777))
	}
	asked := func() int {
		data, _ := os.ReadFile(bin + "/count")
		return strings.Count(string(data), "x")
	}
	find := func() string {
		b, err := w.Find(bin + "/codex")
		require.NoError(t, err)
		return b.Version
	}
	write("0.171.0")
	require.Equal(t, "0.171.0", find())
	require.Equal(t, "0.171.0", find())
	require.Equal(t, 1, asked())
	write("0.171.0-beta")
	require.Equal(t, "0.171.0-beta", find())
	require.Equal(t, 2, asked())

	write("0.172.0-beta") // as long as the one before
	require.NoError(t, os.Chtimes(bin+"/codex", time.Time{}, time.Unix(1, 0)))
	require.Equal(t, "0.172.0-beta", find())
	require.Equal(t, 3, asked())

	require.NoError(t, os.WriteFile(w.probesFile(), []byte("{broken"), 0o666))
	require.Equal(t, "0.172.0-beta", find(), "a broken memory is none")
	require.Equal(t, 4, asked())
}

func TestProbeGivesUp(t *testing.T) {
	bin := t.TempDir() + "/codex"
	require.NoError(t, os.WriteFile(bin, []byte("#!/bin/sh\nexec cat /dev/zero\n"), 0o777))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := probe(ctx, bin)
	require.Error(t, err)
}
