package proc_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/internal/proc"
)

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestSessionsOfItsOwnEndWithTheChild(t *testing.T) {
	c := start(t, "parent", nil)
	pid, err := strconv.Atoi(<-c.lines)
	require.NoError(t, err)
	require.True(t, alive(pid))
	c.Kill()
	<-c.exit
	require.False(t, alive(pid), "a process with a session of its own outlived the child")
}

func TestAnotherMarkIsLeftAlone(t *testing.T) {
	c := start(t, "stubborn", nil)
	require.Equal(t, "ready", <-c.lines)
	require.Zero(t, proc.EndMarked(mark(t)+"x"))
	require.Zero(t, proc.EndMarked(mark(t)[:len(mark(t))-1]), "a mark is no prefix but up to a dot")
	require.True(t, alive(c.Pid()))
}

// TestLeftOversOfAKilledOwner kills a process that owns a work folder and has
// started a session of its own: the next owner beside it clears both away.
func TestLeftOversOfAKilledOwner(t *testing.T) {
	root := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"=owner", "PROC_TEST_ROOT="+root)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(line[:len(line)-1])
	require.NoError(t, err)

	beside, err := proc.OpenWork(root)
	require.NoError(t, err)
	require.Len(t, folders(t, root), 2, "the folder of an owner that lives is left alone")
	require.True(t, alive(pid))
	require.NoError(t, beside.Close())

	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.True(t, alive(pid))
	next, err := proc.OpenWork(root)
	require.NoError(t, err)
	require.False(t, alive(pid))
	require.Equal(t, []string{next.Dir}, folders(t, root))
	require.NoError(t, next.Close())
	require.Empty(t, folders(t, root))
}

func TestFoldersOfOthersAreLeftAlone(t *testing.T) {
	root := t.TempDir()
	for name, owner := range map[string]string{"a": "", "b": "x y", "c": "-1 hs-1", "d": "1 no-mark"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, name, "owner"), []byte(owner), 0o600))
	}
	work, err := proc.OpenWork(root)
	require.NoError(t, err)
	require.Len(t, folders(t, root), 5)
	require.NoError(t, work.Close())
}

func folders(t *testing.T, root string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "*"))
	require.NoError(t, err)
	return found
}
