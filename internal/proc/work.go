package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
)

// Work is a folder that belongs to this process as long as it runs.
type Work struct {
	Dir  string
	mark string
	next atomic.Int64
}

const ownerFile = "owner"

var workSeq atomic.Int64

// OpenWork makes a new folder under root, after it has ended and removed what
// dead owners left there.
func OpenWork(root string) (*Work, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	if err := removeLeftOvers(root); err != nil {
		return nil, err
	}
	start, _ := startTime(os.Getpid())
	id := fmt.Sprintf("%d-%s-%d", os.Getpid(), start, workSeq.Add(1))
	w := &Work{Dir: filepath.Join(root, id), mark: "hs-" + id}
	if err := os.Mkdir(w.Dir, 0o700); err != nil {
		return nil, err
	}
	owner := fmt.Sprintf("%d %s %s\n", os.Getpid(), w.mark, start)
	return w, os.WriteFile(filepath.Join(w.Dir, ownerFile), []byte(owner), 0o600)
}

// Mark is a new mark for one child; all of them are found by the owner's.
func (w *Work) Mark() string { return w.mark + "." + strconv.FormatInt(w.next.Add(1), 10) }

// Close ends what still carries one of the marks, and removes the folder.
func (w *Work) Close() error {
	w.endMarked()
	return os.RemoveAll(w.Dir)
}

// Keep ends what still carries one of the marks, and leaves the folder: it has
// no owner any more, so nobody removes it later.
func (w *Work) Keep() error {
	w.endMarked()
	return os.Remove(filepath.Join(w.Dir, ownerFile))
}

// endMarked has nothing to look for where no mark was given away: that takes as
// long as a small run from tape.
func (w *Work) endMarked() {
	if w.next.Load() > 0 {
		EndMarked(w.mark)
	}
}

func removeLeftOvers(root string) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	var faults []error
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if mark, dead := deadOwner(dir); dead {
			EndMarked(mark)
			faults = append(faults, os.RemoveAll(dir))
		}
	}
	return errors.Join(faults...)
}

// deadOwner reads who a folder belongs to. A folder without a readable owner
// is not ours to remove.
func deadOwner(dir string) (mark string, dead bool) {
	b, err := os.ReadFile(filepath.Join(dir, ownerFile))
	f := strings.Fields(string(b))
	if err != nil || len(f) < 2 || !strings.HasPrefix(f[1], "hs-") {
		return "", false
	}
	pid, err := strconv.Atoi(f[0])
	if err != nil || pid <= 0 {
		return "", false
	}
	start, alive := startTime(pid)
	return f[1], !alive || len(f) > 2 && f[2] != start
}
