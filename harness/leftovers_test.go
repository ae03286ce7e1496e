package harness_test

import (
	"bufio"
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

// However a run ends, no process, no port and no folder of it is left. Each
// program leaves a child in a session of its own.
func TestNothingIsLeftAfterAnyEnd(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes and ports are counted in /proc")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NotZero(t, listening(t), "what is counted below")
	require.NoError(t, ln.Close())
	for _, tt := range []struct {
		end, program string
		want         report.Verdict
		cancel       bool
	}{
		{"pass", "", report.Pass, false},
		{"fail", "exit 3", report.Fail, false},
		{"error", "kill -9 $$", report.Fail, false},
		{"deadline", "read -r never < hang", report.Error, false},
		{"called off", "read -r never < hang", "", true},
	} {
		t.Run(tt.end, func(t *testing.T) {
			root := t.TempDir()
			began := filepath.Join(root, "began")
			require.NoError(t, syscall.Mkfifo(began, 0o600))
			work := filepath.Join(root, "work")
			p := programPlan(t, "mkfifo hang; setsid sleep 1000 <&- >&- 2>&- & echo > "+began+"; "+tt.program)
			ports := listening(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				_, _ = os.ReadFile(began) // until the program has come so far
				if tt.cancel {
					cancel()
				}
			}()
			out := (&harness.Runner{WorkRoot: work, Deadline: 2 * time.Second}).Play(ctx, p)
			require.Equal(t, tt.want, out.Result.Verdict, "%+v", out.Result)
			require.Equal(t, ports, listening(t), "ports")
			require.Empty(t, processesOf(t, work))
			folders, err := os.ReadDir(work)
			require.NoError(t, err)
			require.Empty(t, folders)
		})
	}
}

func programPlan(t *testing.T, script string) *plan.Plan {
	t.Helper()
	text := "[subject]\ncommand = [\"sh\", \"-c\", '''\n" + script + "\n''']\n[[step]]\nrun = \"hello\"\n"
	f, faults := plan.Parse("left.toml", []byte(text), nil)
	require.Empty(t, faults.Errors())
	plans, faults := f.Variants(plan.Options{})
	require.Empty(t, faults)
	return plans[0]
}

// listening counts the TCP sockets that this process listens on.
func listening(t *testing.T) int {
	t.Helper()
	own := map[string]bool{}
	fds, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(t, err)
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil {
			own[strings.Trim(to, "socket:[]")] = true
		}
	}
	n := 0
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		in, err := os.Open(table)
		require.NoError(t, err)
		for lines := bufio.NewScanner(in); lines.Scan(); {
			if f := strings.Fields(lines.Text()); len(f) > 9 && f[3] == "0A" && own[f[9]] {
				n++
			}
		}
		require.NoError(t, in.Close())
	}
	return n
}

// processesOf are the processes that were started in a folder of runs.
func processesOf(t *testing.T, work string) (left []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	for _, file := range all {
		if env, err := os.ReadFile(file); err == nil && strings.Contains(string(env), work) {
			left = append(left, file)
		}
	}
	return left
}
