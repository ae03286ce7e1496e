package codexbin

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Default is the version that everything is measured with, and that is played
// when nobody names one.
const Default = "0.171.0"

// Store is a folder of codex binaries. Its methods may be called at the same
// time, by other processes too.
type Store struct {
	Dir string    // the cache folder; binaries stand in Dir/codex/VERSION
	NPM string    // the npm to call; empty: the one on PATH
	Out io.Writer // told what Install does, a line each; nil: nobody

	// Getenv gives CODEX_BIN and PATH. Nil means the process's environment.
	Getenv func(string) string

	free func(folder string) (uint64, error) // bytes free on its disk; nil: asks the system
}

// Open gives the user's store: HELDSTREAM_CACHE, or heldstream in the user's
// cache folder. It creates nothing.
func Open(out io.Writer) (*Store, error) {
	dir := os.Getenv("HELDSTREAM_CACHE")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no cache folder (%w): set HELDSTREAM_CACHE to one", err)
		}
		dir = filepath.Join(cache, "heldstream")
	}
	dir, err := filepath.Abs(dir)
	return &Store{Dir: dir, Out: out}, err
}

// Path gives the binary of an installed version, or a *NotFound.
func (s *Store) Path(version string) (string, error) {
	if err := checkVersion(version); err != nil {
		return "", err
	}
	path, err := locate(s.folder(version))
	if err != nil {
		return "", &NotFound{Version: version, Looked: []string{s.folder(version)}}
	}
	return path, nil
}

// List gives what is installed, oldest version first. Folders without a binary
// are not in it.
func (s *Store) List() ([]Binary, error) {
	entries, err := os.ReadDir(filepath.Join(s.Dir, "codex"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []Binary
	for _, e := range entries {
		if path, err := s.Path(e.Name()); err == nil {
			all = append(all, Binary{Path: path, Version: e.Name(), From: FromCache})
		}
	}
	slices.SortFunc(all, func(a, b Binary) int { return CompareVersions(a.Version, b.Version) })
	return all, nil
}

// Remove removes an installed version, half-installed ones too.
func (s *Store) Remove(version string) error {
	if err := checkVersion(version); err != nil {
		return err
	}
	if _, err := os.Stat(s.folder(version)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("codex %s is not installed in %s: replay codex list shows what is", version, s.Dir)
	}
	l, busy, err := tryLock(s.lockFile(version))
	if err != nil {
		return err
	}
	if busy {
		return fmt.Errorf("codex %s is being installed by another process: remove it when that is done", version)
	}
	defer l.Close()
	return errors.Join(os.RemoveAll(s.beside(version)), s.discard(version))
}

// discard takes a version's folder away in one step before it is emptied.
func (s *Store) discard(version string) error {
	if err := os.Rename(s.folder(version), s.beside(version)); err != nil {
		return err
	}
	return os.RemoveAll(s.beside(version))
}

func (s *Store) folder(version string) string { return filepath.Join(s.Dir, "codex", version) }

// beside is where a version is installed and taken apart, under its lock.
func (s *Store) beside(version string) string {
	return filepath.Join(s.Dir, "codex", "."+version+".part")
}

func (s *Store) lockFile(version string) string {
	return filepath.Join(s.Dir, "codex", "."+version+".lock")
}

func (s *Store) getenv(name string) string {
	if s.Getenv != nil {
		return s.Getenv(name)
	}
	return os.Getenv(name)
}

func (s *Store) say(format string, args ...any) {
	if s.Out != nil {
		fmt.Fprintf(s.Out, format+"\n", args...)
	}
}

// A version becomes a folder and an argument of npm: nothing else may pass.
var (
	versionForm = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z][0-9A-Za-z.-]*)?$`)
	plainForm   = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)
)

func checkVersion(version string) error {
	if versionForm.MatchString(version) {
		return nil
	}
	return fmt.Errorf("%q is no codex version: write one like %s", version, Default)
}

// CompareVersions orders versions by their numbers; one with a suffix comes
// before the same one without.
func CompareVersions(a, b string) int {
	a, suffixA, _ := strings.Cut(a, "-")
	b, suffixB, _ := strings.Cut(b, "-")
	if c := slices.Compare(numbers(a), numbers(b)); c != 0 {
		return c
	}
	if (suffixA == "") != (suffixB == "") {
		return len(suffixB) - len(suffixA)
	}
	return strings.Compare(suffixA, suffixB)
}

func numbers(version string) []int {
	var all []int
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part)
		all = append(all, n)
	}
	return all
}
