package textdiff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFormat(t *testing.T) {
	tests := []struct{ name, a, b, want, reason string }{
		{"equal", "a b", "a b", "  … 2 equal\n", "nothing is near a change"},
		{"both empty", "", "", "", ""},
		{"all new", "", "a b", "+ a\n+ b\n", ""},
		{"all gone", "a b", "", "- a\n- b\n", ""},
		{"replaced", "a b c", "a x y c", "  a\n- b\n+ x\n+ y\n  c\n", "removed lines first"},
		{"moved", "a b c", "b c a", "- a\n  b\n  c\n+ a\n", "the longest part in common is kept"},
		{"context", "1 2 3 4 5 6", "1 2 3 4 5 x", "  … 4 equal\n  5\n- 6\n+ x\n", ""},
		{"hole", "x 2 3 4 5 y", "2 3 4 5", "- x\n  2\n  … 2 equal\n  5\n- y\n", ""},
		{"repeated", "a a a", "a a", "  a\n  a\n- a\n", "the earliest lines are kept; a hole of one is shown"},
		{"swapped", "a b", "b a", "- a\n  b\n+ a\n", "of two ways as short, the one that removes first"},
		{"mixed", "a b c d", "b x d y", "- a\n  b\n- c\n+ x\n  d\n+ y\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			edits := Lines(strings.Fields(tt.a), strings.Fields(tt.b))
			require.Equal(t, tt.want, Format(edits, 1), tt.reason)
			require.Equal(t, tt.a == tt.b, Equal(edits))
		})
	}
}

// Kept and removed lines must be the first text, kept and added the second, and
// no shorter way may exist.
func TestLinesLeadFromOneTextToTheOther(t *testing.T) {
	text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		var first, second []string
		changes := 0
		for _, e := range Lines(a, b) {
			if e.Op != Add {
				first = append(first, e.Text)
			}
			if e.Op != Remove {
				second = append(second, e.Text)
			}
			if e.Op != Keep {
				changes++
			}
		}
		require.Equal(t, strings.Join(a, ""), strings.Join(first, ""))
		require.Equal(t, strings.Join(b, ""), strings.Join(second, ""))
		require.Equal(t, shortest(a, b), changes)
	})
}

func shortest(a, b []string) int {
	switch {
	case len(a) == 0 || len(b) == 0:
		return len(a) + len(b)
	case a[0] == b[0]:
		return shortest(a[1:], b[1:])
	}
	return 1 + min(shortest(a[1:], b), shortest(a, b[1:]))
}

func TestHugeTextsAreReplacedInOnePiece(t *testing.T) {
	var a, b []string
	for i := range 3000 {
		a, b = append(a, fmt.Sprint("a", i)), append(b, fmt.Sprint("b", i))
	}
	a, b = append(a, "common"), append(b, "common")
	edits := Lines(a, b)
	require.Len(t, edits, 6001)
	require.Equal(t, Edit{Remove, "a0"}, edits[0])
	require.Equal(t, Edit{Add, "b0"}, edits[3000])
	require.Equal(t, Edit{Keep, "common"}, edits[6000])
}

func ExampleFormat() {
	want := []string{"user: first", "compaction: started", "compaction: completed"}
	got := []string{"user: first", "compaction: started", "compaction: aborted"}
	fmt.Print(Format(Lines(want, got), 1))
	// Output:
	//   user: first
	//   compaction: started
	// - compaction: completed
	// + compaction: aborted
}
