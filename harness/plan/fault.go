package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Pos is a place in a file. Line and Column count from 1, columns in bytes.
type Pos struct {
	File         string
	Line, Column int
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Place is the place without its column, as reports name it.
func (p Pos) Place() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

func (p Pos) compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// Fault is something wrong in a file: what, and the cure, in one line.
type Fault struct {
	Pos
	Message string
	Warning bool // the file can be played as it is
}

func (f Fault) String() string {
	if f.Warning {
		return f.Pos.String() + ": warning: " + f.Message
	}
	return f.Pos.String() + ": " + f.Message
}

// Faults are all faults of a file, sorted by place.
type Faults []Fault

func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Errors are the faults that keep the file from being played.
func (fs Faults) Errors() Faults {
	var bad Faults
	for _, f := range fs {
		if !f.Warning {
			bad = append(bad, f)
		}
	}
	return bad
}

// tidy sorts faults and drops repetitions: variants of one file mostly have
// the same faults.
func (fs Faults) tidy() Faults {
	slices.SortStableFunc(fs, func(a, b Fault) int {
		return cmp.Or(a.compare(b.Pos), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(fs)
}
