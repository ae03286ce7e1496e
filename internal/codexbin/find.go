package codexbin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The places that a binary comes from.
const (
	FromEnv   = "CODEX_BIN"
	FromCache = "cache"
	FromPath  = "PATH"
	FromArg   = "argument" // the path was given as the spec
)

// Binary is a codex binary and where it was found.
type Binary struct {
	Path    string
	Version string
	From    string
}

// NotFound says that this machine has no such codex. Command has what to type.
type NotFound struct {
	Version string
	Looked  []string // where it was looked for
}

// Error names the version, where it was looked for, and the cure.
func (e *NotFound) Error() string {
	return fmt.Sprintf("no codex %s on this machine (looked in %s); type: %s", e.Version, strings.Join(e.Looked, ", "), e.Command())
}

// Command is the command that brings what was not found.
func (e *NotFound) Command() string { return "replay codex install " + e.Version }

// Find gives the binary that a --codex value names. "", "auto" and "live" take
// the first of CODEX_BIN, the Default version in the store, and codex on PATH.
// VERSION and live@VERSION take the first of the same places that has that
// version. Anything with a slash is a binary's path.
//
// A *NotFound says that there is none. A CODEX_BIN or path that cannot be run is
// another error: nothing else is taken in its place.
func (s *Store) Find(spec string) (Binary, error) {
	if strings.ContainsRune(spec, filepath.Separator) {
		return s.binary(spec, FromArg)
	}
	version, err := wanted(spec)
	if err != nil {
		return Binary{}, err
	}
	return s.first(version)
}

// wanted gives the version that a spec asks for; empty: any.
func wanted(spec string) (string, error) {
	switch spec {
	case "", "auto", "live":
		return "", nil
	}
	version := strings.TrimPrefix(spec, "live@")
	if !versionForm.MatchString(version) {
		return "", fmt.Errorf("--codex %q: want live, auto, VERSION, live@VERSION or a PATH with a slash (a tape needs no binary)", spec)
	}
	return version, nil
}

func (s *Store) first(version string) (Binary, error) {
	missing := &NotFound{Version: or(version, Default)}
	if env := s.getenv("CODEX_BIN"); env != "" {
		b, err := s.binary(env, FromEnv)
		if err != nil || version == "" || b.Version == version {
			return b, err
		}
		missing.Looked = append(missing.Looked, fmt.Sprintf("CODEX_BIN, which is %s", b.Version))
	}
	if path, err := s.Path(missing.Version); err == nil {
		return Binary{Path: path, Version: missing.Version, From: FromCache}, nil
	}
	missing.Looked = append(missing.Looked, s.folder(missing.Version))
	looked := "PATH"
	if path := s.onPath(); path != "" {
		b, err := s.binary(path, FromPath)
		switch {
		case err != nil: // a broken codex on PATH was not asked for by name
			looked = fmt.Sprintf("PATH, where %s does not run", path)
		case version == "" || b.Version == version:
			return b, nil
		default:
			looked = fmt.Sprintf("PATH, which has %s", b.Version)
		}
	}
	missing.Looked = append(missing.Looked, looked)
	return Binary{}, missing
}

func (s *Store) binary(path, from string) (Binary, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Binary{}, err
	}
	abs = native(abs)
	version, err := s.version(context.Background(), abs)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("there is no such file")
	}
	if err != nil {
		return Binary{}, fmt.Errorf("codex %s (%s) cannot be used: %w", path, from, err)
	}
	return Binary{Path: abs, Version: version, From: from}, nil
}

// onPath gives the first codex on PATH that may be run.
func (s *Store) onPath() string {
	for _, dir := range filepath.SplitList(s.getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue // as exec.LookPath: nothing from the folder that we happen to stand in
		}
		path := filepath.Join(dir, "codex")
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}
