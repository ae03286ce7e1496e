package heldstream_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// seedRow is a row of doc/seed-coverage.md: a test or behavior, and its scenario.
var seedRow = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \|`)

// Every row of the seeds' coverage names a scenario that is there.
func TestSeedCoverage(t *testing.T) {
	page, err := os.ReadFile("doc/seed-coverage.md")
	require.NoError(t, err)
	rows := 0
	for _, m := range seedRow.FindAllStringSubmatch(string(page), -1) {
		if m[1] == "test" || m[1] == "behavior" {
			continue
		}
		rows++
		require.FileExists(t, filepath.Join("scenarios", m[2]+".toml"), m[1])
	}
	require.Equal(t, rows, tableRows(string(page)), "a row that cannot be read")
}

// tableRows counts the lines of tables that are neither head nor rule.
func tableRows(page string) int {
	n := 0
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "|---") && !strings.HasPrefix(line, "| test |") && !strings.HasPrefix(line, "| behavior |") {
			n++
		}
	}
	return n
}
