package plan

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	scenarioRoot = filepath.Join("..", "..", "scenarios")
	failingRoot  = filepath.Join(scenarioRoot, "failing")
	reportRoot   = filepath.Join("..", "..", "cmd", "replay", "testdata", "failing")
)

// Each word of the language stands in a scenario of the library, and each makes
// a scenario fail: a report that is a golden says how (see failedWords).
func TestEveryWordOfTheLanguageIsPlayed(t *testing.T) {
	passing := words{}
	for file, data := range scenarioFiles(t) {
		tree, faults := readTree(file, data)
		require.Empty(t, faults)
		if filepath.Dir(file) != failingRoot {
			passing.collect(tree)
		}
	}
	failing := failedWords(t)
	for _, word := range languageWords() {
		if !passing[word] {
			t.Errorf("no scenario of the library has %s", word)
		}
		if !failing[word] {
			t.Errorf("no report in %s is of a failure by %s", reportRoot, word)
		}
	}
}

func scenarioFiles(t *testing.T) map[string][]byte {
	files := map[string][]byte{}
	require.NoError(t, filepath.WalkDir(scenarioRoot, func(file string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(file) == ".toml" {
			files[file], err = os.ReadFile(file)
		}
		return err
	}))
	return files
}

func languageWords() []string {
	var all []string
	for _, a := range actions() {
		all = append(all, "step "+a.name)
	}
	for _, table := range []struct {
		as  string
		doc tableDoc
	}{
		{"reply", replyKind().doc()}, {"wire", wireKind().doc()}, {"expect", expectKind().doc()},
		{"request", requestWantKind().doc()}, {"invariant", invariantsKind().doc()},
	} {
		for _, k := range table.doc.keys {
			all = append(all, table.as+" "+k.name)
		}
	}
	return all
}

// words are those that stand in files, or those that failed.
type words map[string]bool

func (w words) collect(top *value) {
	for _, k := range invariantsKind().keys {
		w["invariant "+k.name] = true // on in every scenario
	}
	for _, table := range []struct{ name, as string }{{"step", "step"}, {"reply", "reply"}, {"wire", "wire"}, {"expect", "expect"}, {"expect_if", "expect"}} {
		if v := top.get(table.name); v != nil {
			w.tables(v, table.as)
		}
	}
}

// within names the tables that hold words of another table, or of their own.
var within = map[string]string{
	"step together": "step", "reply attempts": "reply", "step expect": "expect", "expect requests": "request", "expect attempts": "request",
}

func (w words) tables(v *value, as string) {
	if v.kind == isArray {
		for _, one := range v.items {
			w.tables(one, as)
		}
		return
	}
	for _, name := range v.names {
		w[as+" "+name] = true
		if inner := within[as+" "+name]; inner != "" {
			w.tables(v.get(name), inner)
		}
	}
}

// failedWords are those that the reports of scenarios/failing are about: an
// expectation or invariant that failed, the step that failed, and in a variant
// key=NAME the key of that name of a reply, a rule or a wanted request.
func failedWords(t *testing.T) words {
	w := words{}
	for file, data := range scenarioFiles(t) {
		if filepath.Dir(file) != failingRoot {
			continue
		}
		f, faults := Parse(file, data, OS)
		require.Empty(t, faults.Errors())
		tree, _ := readTree(file, data)
		for _, r := range reportsOf(t, file) {
			plans, faults := f.Variants(Options{Set: r.variant})
			require.Empty(t, faults)
			for _, what := range r.failed {
				w.failed(plans[0], what)
			}
			if len(r.failed) > 0 {
				w.named(tree, r.variant["key"])
			}
		}
	}
	return w
}

type oneReport struct {
	variant map[string]string
	failed  []string
}

var (
	variantIn = regexp.MustCompile(`"variant":(\{[^}]*\})`)
	whatIn    = regexp.MustCompile(`"what":"([^"]*)"`)
)

// reportsOf reads the golden reports of a scenario. Some lines end where codex's
// own words begin, so they are no JSON any more.
func reportsOf(t *testing.T, scenario string) (all []oneReport) {
	name := strings.TrimSuffix(filepath.Base(scenario), ".toml")
	data, err := os.ReadFile(filepath.Join(reportRoot, name+".jsonl"))
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		var r oneReport
		if m := variantIn.FindStringSubmatch(line); m != nil {
			require.NoError(t, json.Unmarshal([]byte(m[1]), &r.variant))
		}
		for _, m := range whatIn.FindAllStringSubmatch(line, -1) {
			r.failed = append(r.failed, m[1])
		}
		all = append(all, r)
	}
	return all
}

func (w words) failed(p *Plan, what string) {
	var step int
	if n, _ := fmt.Sscanf(what, "step.%d", &step); n == 1 {
		w["step "+p.Steps[step-1].Action.Name()] = true
		return
	}
	if name, ok := strings.CutPrefix(what, "invariant."); ok {
		w["invariant "+name] = true
		return
	}
	first, _, _ := strings.Cut(what, ".")
	w["expect "+first] = true
}

// named: the tables whose when selects key=NAME are about that key.
func (w words) named(tree *value, key string) {
	for table, as := range map[string]string{"reply": "reply", "wire": "wire", "expect_if": "expect"} {
		for _, v := range tree.get(table).list() {
			when := v.get("when", "key")
			if when == nil || when.str != key {
				continue
			}
			have := words{}
			have.tables(v, as)
			for _, as := range []string{"reply", "wire", "request"} {
				if word := as + " " + key; have[word] {
					w[word] = true
				}
			}
		}
	}
}
