package plan_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/plan"
)

var update = flag.Bool("update", false, "rewrite the generated files")

const readme = "../../scenarios/README.md"

const readmeHead = "Made of the scenarios, and of the texts that `replay help` shows; `go test ./harness/plan -update` writes it again.\n\n"

func TestReadmeOfScenariosIsFresh(t *testing.T) {
	want := readmeHead + library(t, filepath.Dir(readme)) + "# The language of scenarios\n\n" + plan.Manual()
	if *update {
		require.NoError(t, os.WriteFile(readme, []byte(want), 0o644))
	}
	got, err := os.ReadFile(readme)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "run go test ./harness/plan -update")
}
