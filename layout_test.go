package heldstream_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/heldstream/heldstream"

// mayNot lists the arrows that must never be drawn: package path prefixes
// relative to the module, and what they may not import.
var mayNot = []struct {
	pkg      string
	imports  []string
	because  string
	onlySelf bool // the prefix names one package, not a tree
}{
	{pkg: "mockprovider", imports: []string{"agentcore", "harness", "scenarios", "golden", "cmd"}, because: "the provider can be used alone"},
	{pkg: "mockprovider/responses", imports: []string{"mockprovider", "agentcore", "harness"}, because: "wire types are a leaf", onlySelf: true},
	{pkg: "agentcore", imports: []string{"mockprovider", "harness", "scenarios", "golden", "cmd"}, because: "the manager can be used alone"},
	{pkg: "agentcore", imports: []string{"agentcore/codex", "agentcore/interact"}, because: "the manager knows no provider", onlySelf: true},
	{pkg: "agentcore", imports: []string{"agentcore/mcp"}, because: "the manager is free of the MCP SDK", onlySelf: true},
	{pkg: "agentcore/mcp", imports: []string{"agentcore/codex", "agentcore/interact"}, because: "its tools know the manager only", onlySelf: true},
	{pkg: "agentcore/timeline", imports: []string{"agentcore"}, because: "the timeline is a leaf", onlySelf: true},
	{pkg: "harness/eventlog", imports: []string{""}, because: "the log imports nothing of ours"},
	{pkg: "harness/report", imports: []string{"mockprovider", "agentcore", "harness/plan", "harness/golden"}, because: "reports read results only"},
	{pkg: "harness/plan", imports: []string{"agentcore", "harness/eventlog", "harness/report", "harness/golden"}, because: "a plan is data"},
	{pkg: "harness", imports: []string{"scenarios", "golden", "cmd"}, because: "the library is handed in as an fs.FS"},
	{pkg: "internal", imports: []string{"mockprovider", "agentcore", "harness", "cmd"}, because: "plumbing is a leaf"},
}

type listed struct {
	ImportPath string
	Doc        string
	Imports    []string
	GoFiles    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Doc,Imports,GoFiles", "./...").Output()
	require.NoError(t, err)
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

func under(pkg, tree string) bool {
	return tree == "" || pkg == tree || strings.HasPrefix(pkg, tree+"/")
}

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		rel := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		for _, rule := range mayNot {
			if rule.onlySelf && rel != rule.pkg || !under(rel, rule.pkg) {
				continue
			}
			for _, imp := range p.Imports {
				ours, ok := strings.CutPrefix(imp, module+"/")
				if !ok || under(ours, rule.pkg) && !rule.onlySelf {
					continue
				}
				for _, bad := range rule.imports {
					if under(ours, bad) {
						t.Errorf("%s imports %s: %s", rel, ours, rule.because)
					}
				}
			}
		}
	}
}

// The library is handed in as an fs.FS to everybody but the command.
func TestOnlyTheCommandHasTheLibrary(t *testing.T) {
	for _, p := range packages(t) {
		for _, imp := range p.Imports {
			if (imp == module+"/scenarios" || imp == module+"/golden") && p.ImportPath != module+"/cmd/replay" {
				t.Errorf("%s imports %s", p.ImportPath, imp)
			}
		}
	}
}

func TestOnlyTheTestAdapterImportsTesting(t *testing.T) {
	for _, p := range packages(t) {
		if path.Base(p.ImportPath) == "harnesstest" {
			continue
		}
		for _, imp := range p.Imports {
			if imp == "testing" || strings.HasPrefix(imp, "github.com/stretchr/testify") {
				t.Errorf("%s imports %s outside its tests", p.ImportPath, imp)
			}
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.GoFiles) > 0 && p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}
