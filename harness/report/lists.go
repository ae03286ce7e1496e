package report

import (
	"fmt"
	"strings"

	"github.com/heldstream/heldstream/internal/textdiff"
)

// A report shows enough of a hostile or huge text to understand it, and counts
// the rest.
const (
	maxLines = 60  // of a detail or a comparison
	maxRunes = 800 // of one wanted or seen text
	lead     = 30  // of what two long texts have in common before they differ
	rowRunes = 300 // of one row
	maxAgent = 16  // of an agent's name
	edgeRows = 12  // rows shown at both ends of a timeline and around its marks
)

func isList(s string) bool { return strings.Contains(s, "\n") }

func entries(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(list, "\n"), "\n")
}

// lists shows two lists as one, so that what they share stands once.
func (t *Text) lists(want, got []string) {
	t.wrapped(indent+indent, "", "wanted (-) and seen (+)")
	n := 0
	for line := range strings.Lines(textdiff.Format(shortRows(textdiff.Lines(want, got)), 3)) {
		if n++; n > maxLines {
			continue
		}
		line = strings.TrimSuffix(line, "\n")
		t.styled(opColor(line[0]), indent+indent+line[:2], indent+indent+"  ", line[2:])
	}
	t.more(n, maxLines, "line")
}

func shortRows(edits []textdiff.Edit) []textdiff.Edit {
	for i := range edits {
		edits[i].Text = cut(Visible(edits[i].Text), rowRunes)
	}
	return edits
}

// timeline shows the rows as they happened, the marked ones pointed out.
func (t *Text) timeline(rows []Row) {
	if len(rows) == 0 {
		return
	}
	t.blank()
	t.styled(bold, indent, indent, "timeline as it happened")
	agents := agentWidth(rows)
	skipped := 0
	for i, r := range rows {
		if !shown(rows, i) {
			skipped++
			continue
		}
		t.skipped(skipped)
		skipped = 0
		t.row(r, agents)
	}
	t.skipped(skipped)
}

func (t *Text) row(r Row, agents int) {
	text := cut(Visible(r.Text), rowRunes)
	next := indent + indent + indent
	if agents > 0 {
		text = pad(cut(Visible(r.Agent), maxAgent), agents) + "  " + text
		next = pad(next, runes(next)+agents+2)
	}
	if r.Mark == "" {
		t.wrapped(indent+indent+"  ", next, text)
		return
	}
	t.styled(bold, indent+indent+"> ", next, text+"  <-- "+r.Mark)
}

func (t *Text) skipped(n int) {
	if n > 0 {
		t.wrapped(indent+indent+"  ", "", fmt.Sprintf("… %s", plural(n, "row")))
	}
}

// shown says whether a row is near an end or a mark.
func shown(rows []Row, i int) bool {
	if i < edgeRows || i >= len(rows)-edgeRows {
		return true
	}
	for _, near := range rows[i-edgeRows : i+edgeRows] {
		if near.Mark != "" {
			return true
		}
	}
	return false
}

// agentWidth is the width of the column of agents; 0 when there is but one.
func agentWidth(rows []Row) int {
	widest, several := 0, false
	for _, r := range rows {
		widest = max(widest, runes(Visible(r.Agent)))
		several = several || r.Agent != rows[0].Agent
	}
	if !several {
		return 0
	}
	return min(widest, maxAgent)
}

func shorten(text string) string { return cut(Visible(text), maxRunes) }

// fromDifference leaves out what two long texts have in common at their start.
func fromDifference(a, b string) (string, string) {
	ra, rb := []rune(a), []rune(b)
	n := 0
	for n < min(len(ra), len(rb)) && ra[n] == rb[n] {
		n++
	}
	if n < 3*lead {
		return a, b
	}
	left := fmt.Sprintf("(%d equal) …", n-lead)
	return left + string(ra[n-lead:]), left + string(rb[n-lead:])
}

// cut keeps the first runes of a text and counts the others.
func cut(text string, most int) string {
	n := runes(text)
	if n <= most {
		return text
	}
	r := []rune(text)
	return fmt.Sprintf("%s… (%d more)", string(r[:most]), n-most)
}
