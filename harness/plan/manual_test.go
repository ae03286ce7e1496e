package plan_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/plan"
)

var update = flag.Bool("update", false, "rewrite the generated files")

const readme = "../../scenarios/README.md"

const readmeHead = "# The language of scenarios\n\n" +
	"Made from the texts that `replay help` shows; `go test ./harness/plan -update` writes it again.\n\n"

func TestReadmeOfScenariosIsFresh(t *testing.T) {
	want := readmeHead + plan.Manual()
	if *update {
		require.NoError(t, os.WriteFile(readme, []byte(want), 0o644))
	}
	got, err := os.ReadFile(readme)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "run go test ./harness/plan -update")
}
