package plan

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each step, reply key and expectation stands in a scenario of the library that
// passes, and in one below scenarios/failing that must fail.
func TestEveryWordOfTheLanguageIsPlayed(t *testing.T) {
	root := filepath.Join("..", "..", "scenarios")
	passing, failing := words{}, words{}
	require.NoError(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".toml" {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		tree, faults := readTree(file, data)
		require.Empty(t, faults)
		if strings.HasPrefix(file, filepath.Join(root, "failing")+string(filepath.Separator)) {
			failing.collect(tree)
		} else {
			passing.collect(tree)
		}
		return nil
	}))
	for where, have := range map[string]words{"that passes": passing, "that must fail": failing} {
		for _, word := range languageWords() {
			if !have[word] {
				t.Errorf("%s has no scenario %s", word, where)
			}
		}
	}
}

func languageWords() []string {
	var all []string
	for _, a := range actions() {
		all = append(all, "step "+a.name)
	}
	for _, k := range replyKind().keys {
		all = append(all, "reply "+k.name)
	}
	for _, k := range expectKind().keys {
		all = append(all, "expect "+k.name)
	}
	return all
}

// words are those that stand in files.
type words map[string]bool

func (w words) collect(top *value) {
	for _, table := range []struct{ name, as string }{{"step", "step"}, {"reply", "reply"}, {"expect", "expect"}, {"expect_if", "expect"}} {
		if v := top.get(table.name); v != nil {
			w.tables(v, table.as)
		}
	}
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
		inner := v.get(name)
		switch {
		case as == "step" && name == "together":
			w.tables(inner, "step")
		case as == "reply" && name == "attempts":
			w.tables(inner, "reply")
		case as == "step" && name == "expect":
			w.tables(inner, "expect")
		}
	}
}
