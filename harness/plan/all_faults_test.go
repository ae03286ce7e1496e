package plan_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/plan"
)

// All faults come in one go, sorted, and a slip in one place makes no fault in
// another: each line of the .faults files was judged by eye.
func TestAllFaultsInOneGo(t *testing.T) {
	for _, name := range []string{"wrong", "unwise"} {
		data, err := os.ReadFile("testdata/" + name + ".toml")
		require.NoError(t, err)
		want, err := os.ReadFile("testdata/" + name + ".faults")
		require.NoError(t, err)
		f, faults := plan.Parse(name+".toml", data, nil)
		require.Nil(t, f)
		require.Equal(t, string(want), faults.Error()+"\n")
	}
}
