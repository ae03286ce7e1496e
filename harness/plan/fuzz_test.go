package plan_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/plan"
)

// Whatever a file holds, Parse ends, says where each fault is in one line, and
// gives a File exactly when nothing is in the way of playing it.
func FuzzParse(f *testing.F) {
	front, err := os.ReadFile(frontPage)
	require.NoError(f, err)
	f.Add(string(front))
	f.Add(string(plan.New("x.toml")))
	for _, tt := range mistakes {
		f.Add(strings.Replace(tt.file, "▸", "", 1))
	}
	f.Add("[matrix]\na = [1, 2.5, true, \"x\"]\ncodex = [\"0.171.0\"]\n[[reply]]\nto = \"any\"\nattempts = [{ status = 500 }, { again = true }]\n" +
		"[[wire]]\nof = \"*\"\nrepeat = { times = 2, hold = \"g\" }\n[[exclude]]\nwhen = { a = [1, \"x\"] }\n[[step]]\ntogether = [{ send = \"${a}\" }, { interrupt = true }]\n" +
		"[expect.agent.main]\nrequests = [{ class = \"turn\" }]\n[[expect_if]]\nwhen = { codex = \"< 0.2.0\" }\nturns = 1\n")
	f.Add("include = [\"a.toml\"]\n[[step]]\nrun = { repeat = \"ab\", times = 3 }\n")
	f.Fuzz(func(t *testing.T, text string) {
		fsys := fstest.MapFS{"a.toml": {Data: []byte(text)}}
		file, faults := plan.Parse("x.toml", []byte(text), fsys)
		require.Equal(t, len(faults.Errors()) == 0, file != nil, "%v", faults)
		require.True(t, slices.IsSortedFunc(faults, func(a, b plan.Fault) int {
			return strings.Compare(a.File, b.File)*1_000_000 + (a.Line-b.Line)*1_000 + min(max(a.Column-b.Column, -999), 999)
		}))
		for _, fault := range faults {
			require.Positive(t, fault.Line)
			require.Positive(t, fault.Column)
			require.NotContains(t, fault.Message, "\n")
			require.NotEmpty(t, fault.Message)
		}
		if file == nil {
			return
		}
		plans, more := file.Variants(plan.Options{Codex: "0.159.1"})
		require.Empty(t, more)
		again, _ := file.Variants(plan.Options{Codex: "0.159.1"})
		require.Empty(t, cmp.Diff(plans, again, cmpopts.IgnoreUnexported(plan.Plan{})))
	})
}
