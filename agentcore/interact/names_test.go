package interact

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The behaviors that an agent manager of this kind has tests for upstream, by
// group, and how many each has. Groups U to Z are about codex, the others about
// the manager.
var groups = map[string]int{
	"A": 3, "B": 17, "C": 11, "D": 21, "E": 13, "F": 12, "G": 9, "H": 11, "I": 7, "J": 6, "K": 8, "L": 6, "M": 15,
	"N": 10, "O": 7, "P": 25, "Q": 10, "R": 11, "S": 14, "T": 8, "U": 19, "V": 10, "W": 7, "X": 12,
	"Y": 11, "Z": 12, "AA": 3, "AB": 11,
}

// leftOut are those that no test here names, and why.
var leftOut = map[string]string{
	"B13": "every message has an id here: the manager gives one, so every text has a row",
	"C9":  "there is no rewind", "C11": "there is no system envelope",
	"D1": "the model's default is the provider's own", "D6": "sessions are always persisted", "D7": "there are no workspaces",
	"D8": "no entry is injected by the manager: package mcp gives a session its tools", "D9": "as D8",
	"D13": "providers are always available", "D14": "providers cannot be disabled", "D15": "providers do not change at run time",
	"D19": "as D13", "D20": "notices are streamed, they are no rows",
	"D21": "decided otherwise: a history that cannot be read is read by the next session (history-fails.txt)",
	"E12": "there is no import", "E13": "there is no import", "F12": "there are no sub-agent cards",
	"K7": "there is no tracker: a wait ends with its context", "K8": "tools are package mcp's",
	"L3":  "sessions tell changes by themselves, as events",
	"N10": "there are no notifications between agents",
	"O7":  "an Agent has no history", "P7": "a session has one provider",
	"P15": "a flush is one step of the machine: nothing can be added meanwhile",
	"R10": "there is one kind of page", "R11": "as R10",
	"S8": "writes of an agent are one after the other (TestKill)", "S9": "decided otherwise: internal agents are not stored",
	"T1": "there is no wire form", "T2": "as T1", "T3": "as T1", "T5": "as T1: counts are whole numbers, never NaN",
	"T6": "as T1", "T7": "as T1", "T8": "as T1",
	"Y9":  "there is no import: nobody lists threads but a caller's own thread/list (TestLiveThreadList)",
	"AA1": "there is no runner", "AA2": "there is no structured loop",
}

// words is all text of the tests of agentcore.
func words(t *testing.T) string {
	var all strings.Builder
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "names_test.go") {
			return err
		}
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata") {
			data, err := os.ReadFile(name)
			all.Write(data)
			return err
		}
		return nil
	})
	require.NoError(t, err)
	return all.String()
}

// found is what the expression captures anywhere in the text.
func found(expression, text string) map[string]bool {
	set := map[string]bool{}
	for _, m := range regexp.MustCompile(expression).FindAllStringSubmatch(text, -1) {
		set[m[1]] = true
	}
	return set
}

// TestEveryRaceAndTransitionIsNamed: R1 to R42 and L1 to L19 each stand in a
// test or a transcript.
func TestEveryRaceAndTransitionIsNamed(t *testing.T) {
	named := found(`(?:^|[\s(])([RL]\d+)\b`, words(t))
	var missing []string
	for letter, count := range map[string]int{"R": 42, "L": 19} {
		for n := 1; n <= count; n++ {
			name := fmt.Sprint(letter, n)
			if !named[name] {
				missing = append(missing, name)
			}
		}
	}
	require.Empty(t, missing)
}

func TestEveryUpstreamBehaviorIsNamedOrLeftOut(t *testing.T) {
	all := found(`\b13\.([A-Z]+\d+)\b`, words(t))
	var missing, needless []string
	for group, count := range groups {
		for n := 1; n <= count; n++ {
			name := fmt.Sprint(group, n)
			named, out := all[name], leftOut[name] != ""
			switch {
			case !named && !out:
				missing = append(missing, name)
			case named && out:
				needless = append(needless, name)
			}
		}
	}
	slices.Sort(missing)
	require.Empty(t, missing)
	require.Empty(t, needless, "named and left out as well")
}
