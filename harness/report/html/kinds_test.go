package html

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"
)

// A kind of event that the page does not know is still listed, but has no lane
// and no words of its own.
func TestThePageKnowsEveryKindOfEvent(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../eventlog/body.go", nil, 0)
	require.NoError(t, err)
	kinds := 0
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "body" || f.Recv == nil {
			continue
		}
		kinds++
		kind := f.Recv.List[0].Type.(*ast.Ident).Name
		if kind != "ToCodex" && kind != "FromCodex" { // told by what is in them
			require.Regexp(t, `(?m)^  `+kind+`: \(`, string(asset("02-model.js")), "a summary")
		}
		if !ofTheRun[kind] {
			require.Regexp(t, `\b`+kind+`: \['`, string(asset("02-model.js")), "a lane")
			require.Regexp(t, `'`+kind+`'`, string(asset("02-model.js")), "a group")
		}
	}
	require.Greater(t, kinds, 25)
}

// ofTheRun are the kinds that stand in the line of the steps.
var ofTheRun = map[string]bool{"StepBegan": true, "StepFailed": true, "Settled": true, "Outside": true, "Trouble": true}
