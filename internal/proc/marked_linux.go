package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// sweeps bounds how often EndMarked looks again: a process may fork while it
// is looked for.
const sweeps = 50

var becomeSubreaper = sync.OnceFunc(func() {
	// Without it orphans would go to init, out of reach only of waiting; the
	// mark still finds them. So a failure is not worth a word.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
})

// EndMarked kills every process whose mark is, or begins with, mark followed
// by a dot. It returns how many it ended.
func EndMarked(mark string) int {
	ended := 0
	for range sweeps {
		found, unclear := marked(mark)
		if len(found) == 0 && !unclear {
			break
		}
		for _, pid := range found {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			reap(pid)
		}
		ended += len(found)
	}
	return ended
}

// marked lists who carries the mark. It is unclear while an orphan of ours is
// between two programs: until exec is done its environment reads as empty.
func marked(mark string) (pids []int, unclear bool) {
	exact := []byte(MarkVariable + "=" + mark + "\x00")
	under := []byte(MarkVariable + "=" + mark + ".")
	for _, pid := range allPids() {
		env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
		if err != nil || pid == os.Getpid() {
			continue
		}
		if len(env) == 0 {
			st, ok := stat(pid)
			unclear = unclear || ok && st.state != "Z" && st.parent == os.Getpid()
			continue
		}
		env = append(append([]byte{0}, env...), 0)
		if bytes.Contains(env, append([]byte{0}, exact...)) || bytes.Contains(env, append([]byte{0}, under...)) {
			pids = append(pids, pid)
		}
	}
	return pids, unclear
}

func allPids() []int {
	names, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(filepath.Base(name)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// reap takes an orphan's status, if it has become ours.
func reap(pid int) {
	if st, ok := stat(pid); ok && st.parent == os.Getpid() {
		_, _ = syscall.Wait4(pid, nil, 0, nil)
	}
}

// reapGroup takes the statuses of orphans of a group whose leader is gone.
func reapGroup(group int) {
	for {
		pid, err := syscall.Wait4(-group, nil, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
	}
}

type procStat struct {
	state  string // Z: dead, and not waited for
	parent int
	start  string
}

// stat reads /proc/PID/stat. The name in it may hold anything, so fields are
// counted from its end.
func stat(pid int) (procStat, bool) {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return procStat{}, false
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 20 {
		return procStat{}, false
	}
	parent, _ := strconv.Atoi(f[1])
	return procStat{state: f[0], parent: parent, start: f[19]}, true
}

// startTime tells a process from a later one with the same id.
func startTime(pid int) (string, bool) {
	st, ok := stat(pid)
	return st.start, ok
}
