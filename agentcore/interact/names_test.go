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
// group, and how many each has. Groups U to Z are about a provider and belong
// to its adapter.
var groups = map[string]int{
	"A": 3, "B": 17, "C": 11, "D": 21, "E": 13, "F": 12, "G": 9, "H": 11, "I": 7, "J": 6, "K": 8, "L": 6, "M": 15,
	"N": 10, "O": 7, "P": 25, "Q": 10, "R": 11, "S": 14, "T": 8, "AA": 3, "AB": 11,
}

// leftOut are those that no test here names, and why.
var leftOut = map[string]string{
	"B13": "every message has an id here: the manager gives one", "C4": "covered by the adapter's echo tests", "C5": "as C4", "C6": "as C4",
	"C7": "blank ids are the adapter's to drop", "C8": "times of update are checked by I2 at every step", "C9": "there is no rewind",
	"C11": "there is no system envelope", "D1": "the model's default is the provider's own", "D4": "as D3",
	"D6": "sessions are always persisted", "D7": "there are no workspaces", "D8": "no entry is injected by the manager", "D9": "as D8",
	"D13": "providers are always available", "D14": "providers cannot be disabled", "D15": "providers do not change at run time",
	"D19": "as D13", "D20": "notices are streamed", "D21": "a history that cannot be read is read later",
	"E1": "by SessionConfig.over", "E3": "by E2", "E8": "by the tests of package store", "E12": "there is no import", "E13": "there is no import",
	"F11": "by N11", "F12": "there are no sub-agent cards", "I6": "usage is the last that was told",
	"J1": "by TestARunCollectsWhatItsTurnSaid", "K7": "there is no tracker", "K8": "tools are not of this package",
	"L3":  "sessions tell changes by themselves",
	"N10": "there are no notifications between agents",
	"O7":  "an Agent has no history", "P2": "by P1", "P4": "by Q1", "P6": "by P5", "P7": "a session has one provider", "P8": "by P5",
	"P9": "checked in add", "P10": "texts are joined as they are", "P11": "as P10", "P12": "a machine has one agent", "P13": "as P12",
	"P14": "by Q2", "P15": "a flush cannot be entered twice", "P16": "by P18", "P17": "by F3", "P19": "by P1", "P23": "by P22", "P25": "by P5",
	"Q7": "a machine ends with its agent: I11", "Q8": "by Flush", "Q9": "by E7", "R10": "there is one kind of page", "R11": "as R10",
	"S8": "writes of an agent are one after the other", "S9": "internal agents are not stored",
	"T1": "there is no wire form", "T2": "as T1", "T3": "as T1", "T5": "as T1", "T6": "as T1", "T7": "as T1", "T8": "as T1",
	"AA1": "there is no runner", "AA2": "there is no structured loop", "AB7": "the planted fault waiters-early",
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
