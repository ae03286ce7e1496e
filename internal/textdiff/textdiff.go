// Package textdiff compares two texts line by line, for people to read. The
// same input gives the same output in every version of the package, so its
// output may stand in goldens (go-cmp's may not).
package textdiff

import (
	"fmt"
	"slices"
	"strings"
)

// Op says what an Edit does with its line.
type Op byte

// The operations, as they are printed.
const (
	Keep   Op = ' '
	Remove Op = '-' // stands in the first text only
	Add    Op = '+' // stands in the second text only
)

// Edit is one line of a comparison.
type Edit struct {
	Op   Op
	Text string
}

// maxCells bounds the table (4 bytes a cell). Past it, what stands between the
// equal head and tail is shown as replaced in one piece.
const maxCells = 1 << 22

// Lines gives the shortest way from a to b. Of several it takes the one that
// removes first; where lines are replaced, the removed ones come first.
func Lines(a, b []string) []Edit {
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	edits := all(Keep, a[:head])
	edits = append(edits, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	return append(edits, all(Keep, a[len(a)-tail:])...)
}

// Equal reports whether the edits change nothing.
func Equal(edits []Edit) bool {
	return !slices.ContainsFunc(edits, func(e Edit) bool { return e.Op != Keep })
}

func all(op Op, lines []string) []Edit {
	edits := make([]Edit, len(lines))
	for i, l := range lines {
		edits[i] = Edit{op, l}
	}
	return edits
}

func middle(a, b []string) []Edit {
	if len(a)*len(b) > maxCells {
		return append(all(Remove, a), all(Add, b)...)
	}
	common := commonTable(a, b)
	var edits, added []Edit // added waits for the removed lines beside it
	flush := func() { edits, added = append(edits, added...), nil }
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			flush()
			edits = append(edits, Edit{Keep, a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			edits = append(edits, Edit{Remove, a[i]})
			i++
		default:
			added = append(added, Edit{Add, b[j]})
			j++
		}
	}
	flush()
	return edits
}

// commonTable has at [i][j] how many lines a[i:] and b[j:] have in common, in
// order.
func commonTable(a, b []string) [][]int32 {
	table := make([][]int32, len(a)+1)
	for i := range table {
		table[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

// Format prints edits, one a line: the operation, a blank, the text. Of kept
// lines only those at most context lines away from a change are printed; of
// the others it is said how many were left out, unless it is one.
func Format(edits []Edit, context int) string {
	var b strings.Builder
	near := nearChange(edits, context)
	for i := 0; i < len(edits); {
		hole := i
		for hole < len(edits) && !near[hole] {
			hole++
		}
		if hole-i > 1 {
			fmt.Fprintf(&b, "  … %d equal\n", hole-i)
			i = hole
			continue
		}
		fmt.Fprintf(&b, "%c %s\n", edits[i].Op, edits[i].Text)
		i++
	}
	return b.String()
}

// nearChange marks the edits that are a change or at most context away from
// one.
func nearChange(edits []Edit, context int) []bool {
	near := make([]bool, len(edits))
	for i, e := range edits {
		if e.Op == Keep {
			continue
		}
		for k := max(0, i-context); k <= min(len(edits)-1, i+context); k++ {
			near[k] = true
		}
	}
	return near
}
