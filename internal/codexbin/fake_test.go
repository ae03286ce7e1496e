package codexbin

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// The test binary is its own npm: with FAKE_NPM set it plays one that knows the
// versions below, and fails in the way that FAKE_NPM names.
func TestMain(m *testing.M) {
	if mode := os.Getenv("FAKE_NPM"); mode != "" {
		os.Exit(fakeNPM(mode, os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// failures has what npm prints for each way to fail, as npm 11 prints it.
var failures = map[string]string{
	"nospace":     "npm error code ENOSPC\nnpm error syscall write\nnpm error errno -28\nnpm error nospc ENOSPC: no space left on device, write\n",
	"unreachable": "npm error code ECONNREFUSED\nnpm error syscall connect\nnpm error errno ECONNREFUSED\nnpm error FetchError: request failed\n",
	"old":         "npm ERR! code ENOTFOUND\nnpm ERR! syscall getaddrinfo\n",
	"denied":      "npm error code E403\nnpm error 403 403 Forbidden\n",
	"odd":         "npm error code EWHATEVER\nnpm error something nobody knows\n",
	"silent":      "",
}

func fakeNPM(mode string, args []string) int {
	if log := os.Getenv("FAKE_LOG"); log != "" {
		f, _ := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		fmt.Fprintln(f, strings.Join(args, " "))
		f.Close()
	}
	if said, ok := failures[mode]; ok {
		fmt.Fprint(os.Stderr, said)
		return 1
	}
	if mode == "hang" {
		os.WriteFile(os.Getenv("FAKE_READY"), fmt.Append(nil, os.Getpid(), " ", syscall.Getpgrp()), 0)
		os.ReadFile(os.Getenv("FAKE_GO"))
	}
	if args[0] == "view" {
		return fakeView(args[1])
	}
	return fakeInstall(mode, args)
}

// What the fake registry has. A version without a platform's package has its
// binaries in its own; 0.142.1 names packages that are not there.
func fakeView(spec string) int {
	p := thisPlatform().npm
	one := func(version string) string {
		return fmt.Sprintf(`{"version":%q,"dist":{"unpackedSize":1},"optionalDependencies":{"@openai/codex-%s":"npm:@openai/codex@%s-%s"}}`, version, p, version, p)
	}
	out, ok := map[string]string{
		"@openai/codex":                      `["0.9.0","0.20.0","0.171.0","0.142.1","0.172.0-alpha.1"]`,
		"@openai/codex@0.171.0":              one("0.171.0"),
		"@openai/codex@0.171.0-" + p:         `{"version":"x","dist":{"unpackedSize":391000001}}`,
		"@openai/codex@0.142.1":              one("0.142.1"),
		"@openai/codex@0.130.0":              `{"optionalDependencies":{"@openai/codex-plan9-mips":"npm:@openai/codex@0.130.0-plan9-mips"}}`,
		"@openai/codex@0.20.0":               `{"dist":{}}`,
		"@openai/codex@0.66.0":               `{"dist":{}}`,
		"@openai/codex@0.67.0":               `{"dist":{}}`,
		"@openai/codex@0.68.0":               `{"optionalDependencies":{"@openai/codex-` + p + `":"npm:--prefix=/"}}`,
		"@openai/codex@0.69.0":               `no json`,
		"@openai/codex@0.172.0-alpha.1":      one("0.172.0-alpha.1"),
		"@openai/codex@0.172.0-alpha.1-" + p: `{"dist":{}}`,
	}[spec]
	if !ok {
		fmt.Fprintln(os.Stderr, "npm error code E404\nnpm error 404 No match found for version")
		return 1
	}
	fmt.Println(out)
	return 0
}

func fakeInstall(mode string, args []string) int {
	prefix := args[slices.Index(args, "--prefix")+1]
	spec := args[slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, packageName+"@") })]
	version := strings.TrimSuffix(strings.TrimPrefix(spec, packageName+"@"), "-"+thisPlatform().npm)
	root := filepath.Join(prefix, "node_modules", "@openai", "codex")
	os.MkdirAll(root, 0o777)
	os.WriteFile(filepath.Join(root, "package.json"), []byte("{}"), 0o666)
	if mode == "held" { // half way: says so, then waits to be told
		os.WriteFile(os.Getenv("FAKE_READY"), []byte("half"), 0)
		os.ReadFile(os.Getenv("FAKE_GO"))
	}
	if version == "0.66.0" {
		return 0 // an install without a binary that npm calls a success
	}
	place := "vendor/TRIPLE/bin/codex"
	if version == "0.20.0" {
		place = "bin/codex-TRIPLE"
	}
	writeCodex(filepath.Join(root, strings.ReplaceAll(place, "TRIPLE", triple())), strings.Replace(version, "0.67.0", "0.66.0", 1))
	return 0
}

func triple() string {
	p := thisPlatform()
	return map[string]string{"linux": p.arch + "-unknown-linux-musl", "darwin": p.arch + "-apple-darwin"}[p.kind]
}

// writeCodex writes a codex that can only say its version.
func writeCodex(path, version string) {
	os.MkdirAll(filepath.Dir(path), 0o777)
	os.WriteFile(path, []byte("#!/bin/sh\necho codex-cli "+version+"\n"), 0o777)
}

// world is a store with the fake npm, an empty PATH, and what it said.
type world struct {
	*Store
	out bytes.Buffer
	env map[string]string
}

func newWorld(t *testing.T, mode string) *world {
	self, err := os.Executable()
	require.NoError(t, err)
	t.Setenv("FAKE_NPM", mode)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // the fake npm need not wait a second at its end
	w := &world{env: map[string]string{}}
	w.Store = &Store{Dir: filepath.Join(t.TempDir(), "cache"), NPM: self, Out: &w.out, Getenv: func(name string) string { return w.env[name] }}
	return w
}

// names lists what stands in the store but its locks.
func (w *world) names(t *testing.T) []string {
	entries, err := os.ReadDir(filepath.Join(w.Dir, "codex"))
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".lock") {
			names = append(names, e.Name())
		}
	}
	return names
}

// fifo gives a named pipe; opening it waits for the other side.
func fifo(t *testing.T, env string) string {
	path := filepath.Join(t.TempDir(), env)
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	t.Setenv(env, path)
	return path
}
