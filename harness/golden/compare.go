package golden

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/internal/textdiff"
)

// Difference is what two goldens of one variant do not have in common. It is
// empty when they are equal but for their versions.
type Difference struct {
	Steps []textdiff.Edit // the sections' titles, when they differ: the scenario was changed
	Lanes []LaneDifference
}

// LaneDifference is one lane of one section that differs. A lane that only one
// side has is compared with an empty one.
type LaneDifference struct {
	Section, Lane string
	Edits         []textdiff.Edit // from the wanted lines to those that came
}

// Empty reports whether nothing differs.
func (d Difference) Empty() bool { return len(d.Steps) == 0 && len(d.Lanes) == 0 }

// Compare gives the difference between a golden and what came. The order of
// lanes within a section says nothing and is not compared. When the steps
// themselves differ, only the first ones that both have are compared further.
func Compare(want, got File) Difference {
	var d Difference
	if titles := textdiff.Lines(titles(want), titles(got)); !textdiff.Equal(titles) {
		d.Steps = titles
	}
	for i := range min(len(want.Sections), len(got.Sections)) {
		if want.Sections[i].Title != got.Sections[i].Title {
			break
		}
		d.Lanes = append(d.Lanes, compareSections(want.Sections[i], got.Sections[i])...)
	}
	return d
}

func titles(f File) []string {
	var t []string
	for _, s := range f.Sections {
		t = append(t, s.Title)
	}
	return t
}

func compareSections(want, got Section) []LaneDifference {
	var all []LaneDifference
	for _, name := range laneNames(want, got) {
		edits := textdiff.Lines(lines(want, name), lines(got, name))
		if !textdiff.Equal(edits) {
			all = append(all, LaneDifference{want.Title, name, edits})
		}
	}
	return all
}

// laneNames gives the names in the golden's order, then those that are new.
func laneNames(sections ...Section) []string {
	var names []string
	for _, s := range sections {
		for _, l := range s.Lanes {
			if !slices.Contains(names, l.Name) {
				names = append(names, l.Name)
			}
		}
	}
	return names
}

func lines(s Section, lane string) []string {
	var all []string
	for _, l := range s.Lanes {
		if l.Name == lane {
			all = append(all, l.Lines...)
		}
	}
	return all
}

// How much String shows before it only names or counts the rest.
const (
	shownLanes = 3
	shownLines = 30
	context    = 2
)

// String explains the difference: the step, the lane, the lines next to each
// change ("-" stands in the golden, "+" came instead). The first lanes are
// shown, the others named, since what follows the first difference mostly
// follows from it. Text is escaped as in a golden.
func (d Difference) String() string { return d.explain(shownLanes, shownLines) }

// Full is String without a limit.
func (d Difference) Full() string { return d.explain(len(d.Lanes), int(^uint(0)>>1)) }

func (d Difference) explain(lanes, lines int) string {
	var b strings.Builder
	if len(d.Steps) > 0 {
		b.WriteString("the steps differ (-: the golden's)\n" + limited(d.Steps, lines))
	}
	for i, l := range d.Lanes {
		if i < lanes {
			fmt.Fprintf(&b, "%s, lane %s\n%s", escape(l.Section), escape(l.Lane), limited(l.Edits, lines))
			continue
		}
		fmt.Fprintf(&b, "%s, lane %s differs too\n", escape(l.Section), escape(l.Lane))
	}
	return b.String()
}

// limited prints edits, indented, and counts the lines that are too many.
func limited(edits []textdiff.Edit, most int) string {
	shown := make([]textdiff.Edit, len(edits))
	for i, e := range edits {
		shown[i] = textdiff.Edit{Op: e.Op, Text: escape(e.Text)}
	}
	var b strings.Builder
	n := 0
	for line := range strings.Lines(textdiff.Format(shown, context)) {
		if n++; n <= most {
			b.WriteString("  " + line)
		}
	}
	if n > most {
		fmt.Fprintf(&b, "  … %d more lines\n", n-most)
	}
	return b.String()
}
