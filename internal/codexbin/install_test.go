package codexbin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInstall(t *testing.T) {
	w := newWorld(t, "ok")
	path, err := w.Install(t.Context(), "0.171.0")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(w.Dir, "codex/0.171.0/node_modules/@openai/codex/vendor", triple(), "bin/codex"), path)
	require.Equal(t, []string{"0.171.0"}, w.names(t))
	require.Equal(t, "codex 0.171.0: npm brings @openai/codex@0.171.0-"+thisPlatform().npm+" (392 MB) into "+w.Dir+"/codex/0.171.0\n"+
		"codex 0.171.0: ready: "+path+"\n", w.out.String())

	w.out.Reset()
	w.NPM = "/nonexistent/npm"
	again, err := w.Install(t.Context(), "0.171.0")
	require.NoError(t, err, "what is there needs no npm")
	require.Equal(t, path, again)
	require.Equal(t, "codex 0.171.0: is there: "+path+"\n", w.out.String())
}

func TestInstallOfOtherKindsOfVersions(t *testing.T) {
	tests := []struct{ version, place, said string }{
		{"0.20.0", "bin/codex-" + triple(), "@openai/codex@0.20.0 (the registry does not say how large"},
		{"0.172.0-alpha.1", "vendor/" + triple() + "/bin/codex", "@openai/codex@0.172.0-alpha.1-" + thisPlatform().npm},
	}
	for _, tt := range tests {
		t.Run(tt.version, func(t *testing.T) {
			w := newWorld(t, "ok")
			path, err := w.Install(t.Context(), tt.version)
			require.NoError(t, err)
			require.True(t, strings.HasSuffix(path, tt.place), path)
			require.Contains(t, w.out.String(), tt.said)
		})
	}
}

func TestInstallFailsInOneLineWithItsCure(t *testing.T) {
	tests := []struct{ name, mode, version, want string }{
		{"unknown version", "ok", "9.9.9", "npm lists no such version; npm view @openai/codex versions shows all"},
		{"no version", "ok", "../evil", `"../evil" is no codex version: write one like 0.171.0`},
		{"listed without a binary", "ok", "0.142.1", "codex 0.142.1 has no binary for " + thisPlatform().npm + "; take another version"},
		{"made for other platforms", "ok", "0.130.0", "codex 0.130.0 has no binary for"},
		{"a hostile registry", "ok", "0.68.0", "codex 0.68.0 has no binary for"},
		{"no npm at all", "ok", "0.69.0", "printed no JSON object"},
		{"success without a binary", "ok", "0.66.0", "what npm brought is not it: no codex binary for"},
		{"another version's binary", "ok", "0.67.0", "says that it is 0.66.0"},
		{"no space", "nospace", "0.171.0", "no space left; free some, or set HELDSTREAM_CACHE"},
		{"unreachable", "unreachable", "0.171.0", "the registry cannot be reached; look at the network"},
		{"an old npm's words", "old", "0.171.0", "the registry cannot be reached"},
		{"refused", "denied", "0.171.0", "npm login"},
		{"something else", "odd", "0.171.0", "npm failed with EWHATEVER: something nobody knows; npm install @openai/codex@0.171.0 shows more"},
		{"nothing said", "silent", "0.171.0", "npm failed with no code: exit status 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.mode)
			_, err := w.Install(t.Context(), tt.version)
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "\n")
			require.Empty(t, w.names(t), "nothing is left behind")
		})
	}
}

// npm calls this a success too; the binary may even start.
func TestADiskThatGotFullIsNoSuccess(t *testing.T) {
	w := newWorld(t, "ok")
	w.free = func(string) (uint64, error) { return 4096, nil }
	_, err := w.Install(t.Context(), "0.171.0")
	require.ErrorContains(t, err, "no space left; free some, or set HELDSTREAM_CACHE")
	require.Empty(t, w.names(t))
}

func TestAnNPMThatNeverAnswersIsEnded(t *testing.T) {
	w := newWorld(t, "hang")
	ready := fifo(t, "FAKE_READY")
	fifo(t, "FAKE_GO")
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error)
	go func() { _, err := w.Install(ctx, "0.171.0"); done <- err }()
	said, err := os.ReadFile(ready)
	require.NoError(t, err)
	cancel(errNoAnswer)
	require.ErrorIs(t, <-done, errNoAnswer)
	var pid, group int
	_, err = fmt.Sscan(string(said), &pid, &group)
	require.NoError(t, err)
	require.Equal(t, pid, group, "npm and what it starts can be ended together")
	require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH, "npm is gone")
}

func TestInstallWithoutNPM(t *testing.T) {
	w := newWorld(t, "ok")
	t.Setenv("PATH", t.TempDir())
	w.NPM = ""
	_, err := w.Install(t.Context(), "0.171.0")
	require.ErrorIs(t, err, errNoNPM)
	_, err = w.Versions(t.Context())
	require.ErrorIs(t, err, errNoNPM)
}

func TestInstallIntoAFolderThatCannotBe(t *testing.T) {
	w := newWorld(t, "ok")
	require.NoError(t, os.WriteFile(w.Dir, nil, 0o666))
	_, err := w.Install(t.Context(), "0.171.0")
	require.ErrorContains(t, err, "is a file where a folder must be; set HELDSTREAM_CACHE")

	w.Dir = w.Dir + strings.Repeat("x", 300)
	_, err = w.Install(t.Context(), "0.171.0")
	require.ErrorContains(t, err, "file name too long; set HELDSTREAM_CACHE")
}

func TestBrokenFoldersAreRepaired(t *testing.T) {
	tests := []struct {
		name   string
		damage func(t *testing.T, w *world)
	}{
		{"half a folder", func(t *testing.T, w *world) {
			require.NoError(t, os.MkdirAll(filepath.Join(w.folder("0.171.0"), "node_modules"), 0o777))
		}},
		{"a binary that does not run", func(t *testing.T, w *world) {
			path := filepath.Join(w.folder("0.171.0"), "vendor", triple(), "bin/codex")
			writeCodex(path, "0.1")
			require.NoError(t, os.WriteFile(path, nil, 0))
		}},
		{"left by a killed install", func(t *testing.T, w *world) {
			require.NoError(t, os.MkdirAll(w.beside("0.171.0")+"/node_modules", 0o777))
			require.NoError(t, os.MkdirAll(w.folder("0.171.0"), 0o777))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, "ok")
			tt.damage(t, w)
			_, err := w.Install(t.Context(), "0.171.0")
			require.NoError(t, err)
			require.Contains(t, w.out.String(), "the folder that is there is broken; replacing it")
			require.Equal(t, []string{"0.171.0"}, w.names(t))
		})
	}
}

func TestInterruptLeavesNothing(t *testing.T) {
	w := newWorld(t, "held")
	ready := fifo(t, "FAKE_READY")
	fifo(t, "FAKE_GO")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := w.Install(ctx, "0.171.0")
		done <- err
	}()
	half, err := os.ReadFile(ready) // npm is in the middle of it
	require.NoError(t, err)
	require.Equal(t, "half", string(half))
	cancel()
	err = <-done
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "was interrupted and left nothing behind; type replay codex install 0.171.0")
	require.Empty(t, w.names(t))
}

// told is a writer that says on a channel what was written.
type told chan string

func (c told) Write(p []byte) (int, error) { c <- string(p); return len(p), nil }

func TestTwoInstallsAtOnce(t *testing.T) {
	w := newWorld(t, "held")
	ready, release := fifo(t, "FAKE_READY"), fifo(t, "FAKE_GO")
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("FAKE_LOG", log)
	errs := make(chan error)
	go func() { _, err := w.Install(t.Context(), "0.171.0"); errs <- err }()
	_, err := os.ReadFile(ready)
	require.NoError(t, err)

	said := make(told, 10)
	second := &Store{Dir: w.Dir, NPM: w.NPM, Out: said}
	go func() { _, err := second.Install(t.Context(), "0.171.0"); errs <- err }()
	require.Equal(t, "codex 0.171.0: another process installs it; waiting\n", <-said)
	require.ErrorContains(t, second.Remove("0.171.0"), "not installed")

	require.NoError(t, os.WriteFile(release, []byte("go"), 0))
	require.NoError(t, errors.Join(<-errs, <-errs))
	require.Contains(t, <-said, "is there")
	calls, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(calls), "install "), string(calls))
}

func TestWaitingForAnotherInstallCanBeInterrupted(t *testing.T) {
	w := newWorld(t, "ok")
	holder, busy, err := tryLock(w.lockFile("0.171.0"))
	require.NoError(t, err)
	require.False(t, busy)
	said := make(told, 1)
	w.Out = said
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { _, err := w.Install(ctx, "0.171.0"); done <- err }()
	require.Contains(t, <-said, "waiting")
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.NoError(t, holder.Close())
}

// Whichever comes first, the lock is with who asked for it, or free.
func TestALockThatIsGotAsItsWaitIsBrokenOff(t *testing.T) {
	dir := t.TempDir()
	for i := range 300 {
		path := filepath.Join(dir, strconv.Itoa(i))
		holder, _, err := tryLock(path)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		waits, done := make(chan bool), make(chan *os.File)
		go func() {
			f, _ := lock(ctx, path, func() { close(waits) })
			done <- f
		}()
		<-waits
		go cancel()
		require.NoError(t, holder.Close())
		if f := <-done; f != nil {
			require.NoError(t, f.Close())
		}
		free, err := lock(t.Context(), path, func() {})
		require.NoError(t, err)
		require.NoError(t, free.Close())
	}
}
