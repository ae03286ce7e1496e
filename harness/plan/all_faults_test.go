package plan_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/plan"
)

// All faults come in one go, sorted, and a slip in one place makes no fault in
// another: each line of the .faults files was judged by eye.
func TestAllFaultsInOneGo(t *testing.T) {
	for _, name := range []string{"wrong", "unwise", "socket"} {
		data, err := os.ReadFile("testdata/" + name + ".toml")
		require.NoError(t, err)
		want, err := os.ReadFile("testdata/" + name + ".faults")
		require.NoError(t, err)
		f, faults := plan.Parse(name+".toml", data, nil)
		require.Nil(t, f)
		require.Equal(t, string(want), faults.Error()+"\n")
	}
}

// A file of nothing but slips must not fill the screen, nor the memory.
func TestFaultsAreBounded(t *testing.T) {
	file := "[matrix]\na = [1, 2, 3]\n[[reply]]\nto = \"turn\"\n[[step]]\nrun = \"x\"\n" + strings.Repeat("[[step]]\nsned = \"x\"\n", 5_000)
	_, faults := plan.Parse("a.toml", []byte(file), nil)
	require.Less(t, len(faults), 210)
	require.Contains(t, faults.Error(), "there is more to mend")
}
