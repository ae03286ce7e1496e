package codexbin

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// probeLimit ends the asking of a binary that never answers. A cold start of
// a large binary from a slow disk takes seconds.
const probeLimit = 30 * time.Second

// probe runs the binary with --version and gives the version that it prints.
func probe(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LANG=C", "HOME=" + os.DevNull}
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", path, err)
	}
	fields := strings.Fields(string(out))
	if len(fields) != 2 || !versionForm.MatchString(fields[1]) {
		return "", fmt.Errorf("%s --version printed %.80q, not codex and a version: this is no codex", path, out)
	}
	return fields[1], nil
}

// probed is what probe said of a file. The file is taken to be the same one
// while its size and time of change are.
type probed struct {
	Size    int64     `json:"size"`
	ModTime time.Time `json:"mod_time"`
	Version string    `json:"version"`
}

// maxProbes bounds the file of answers; past it all are forgotten.
const maxProbes = 64

// version is probe with a memory in the store: a start of codex, or of the node
// in front of it, costs more than the rest of a short run.
func (s *Store) version(ctx context.Context, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	known := s.readProbes()
	if p, ok := known[path]; ok && p.Size == info.Size() && p.ModTime.Equal(info.ModTime()) {
		return p.Version, nil
	}
	version, err := probe(ctx, path)
	if err != nil {
		return "", err
	}
	if len(known) >= maxProbes {
		clear(known)
	}
	known[path] = probed{info.Size(), info.ModTime(), version}
	s.writeProbes(known)
	return version, nil
}

func (s *Store) probesFile() string { return filepath.Join(s.Dir, "codex", "probes.json") }

// readProbes gives what is remembered; a file that cannot be read is as good
// as none.
func (s *Store) readProbes() map[string]probed {
	known := map[string]probed{}
	if data, err := os.ReadFile(s.probesFile()); err == nil && json.Unmarshal(data, &known) != nil {
		clear(known)
	}
	return known
}

// writeProbes remembers; when it cannot, the next start asks again.
func (s *Store) writeProbes(known map[string]probed) {
	data, err := json.MarshalIndent(known, "", "  ")
	if err != nil || os.MkdirAll(filepath.Dir(s.probesFile()), 0o777) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(s.probesFile()), ".probes-")
	if err != nil {
		return
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if f.Close() == nil && err == nil {
		os.Rename(f.Name(), s.probesFile())
	}
}
