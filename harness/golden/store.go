package golden

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Read reads a golden that must be in canonical form. It reads no more than
// MaxBytes.
func Read(r io.Reader) (File, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return File{}, err
	}
	if err := Canonical(data); err != nil {
		return File{}, err
	}
	return Parse(data)
}

// Update makes the file hold the golden. A file that holds it already is left
// alone, and changed is false. An interrupted Update leaves the old file.
func Update(file string, f File) (changed bool, err error) {
	data := Format(f)
	if len(data) > MaxBytes {
		return false, fmt.Errorf("%s: the golden would have %d bytes, more than the %d that are read back", file, len(data), MaxBytes)
	}
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, data) {
		return false, nil
	}
	return true, Replace(file, data)
}

// Replace makes the file hold data, in a folder that it makes where there is
// none. It is the old file or the new one at each moment, also when two programs
// replace it at once or the disk is full.
func Replace(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	beside := fmt.Sprintf("%s.%d.new", file, os.Getpid()) // another program's is another one
	if err := os.WriteFile(beside, data, 0o666); err != nil {
		_ = os.Remove(beside) // it may never have come to be; the fault is the write's
		return err
	}
	return os.Rename(beside, file)
}

// Orphans gives the goldens and tapes below dir that belong to none of the
// expected ones: what Path gives, without a version, for every variant of every
// scenario. One for another codex version, or a tape, belongs where its golden
// does. A folder that is not there has none.
func Orphans(fsys fs.FS, dir string, expected []string) ([]string, error) {
	known := map[string]bool{}
	for _, e := range expected {
		known[stem(e)] = true
	}
	var orphans []string
	err := fs.WalkDir(fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() && IsRecorded(name) && !known[unversioned(stem(name))] {
			orphans = append(orphans, name)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return orphans, err
}

// IsRecorded reports whether a file is named as a golden or a tape.
func IsRecorded(name string) bool {
	return slices.Contains([]string{".golden", ".tape"}, path.Ext(name))
}

// unversioned cuts @VERSION off; no other part of a name has an @ (fileName).
func unversioned(stem string) string {
	dir, base := path.Split(stem)
	base, _, _ = strings.Cut(base, "@")
	return dir + base
}
