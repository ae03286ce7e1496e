package judge

import (
	"strings"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/reading"
)

// Rows returns an agent's timeline as expectations see it: a tool call is one
// row, where it began, with what it came to; withdrawn rows are not in it.
func Rows(a *reading.Agent) []eventlog.Row {
	var rows []eventlog.Row
	tools := map[string]int{}
	for _, row := range a.Rows {
		if row.Note == "withdrawn" {
			continue
		}
		if row.Kind == "tool" && row.Item != "" {
			if at, ok := tools[row.Item]; ok {
				rows[at] = row
				continue
			}
			tools[row.Item] = len(rows)
		}
		rows = append(rows, row)
	}
	return rows
}

// timeline judges the rows of the one agent that it is about: the first.
func (v view) timeline(want *plan.Timeline) Finding {
	var rows []eventlog.Row
	if len(v.agents) > 0 {
		rows = Rows(v.agents[0])
	}
	f := Finding{Got: listing(lines(rows))}
	var wanted []string
	for _, row := range want.Rows {
		wanted = append(wanted, v.expand(row.AsInFile))
	}
	f.Want = listing(wanted)
	switch {
	case v.match(want.Rows, rows):
		f.Answer = Met
	case !v.prefix(want.Rows, rows):
		f.Answer = Never
	}
	return f
}

func lines(rows []eventlog.Row) []string {
	all := make([]string, len(rows))
	for i, row := range rows {
		all[i] = row.String()
	}
	return all
}

// match reports whether rows are what want says; "…" stands for any number.
func (v view) match(want []plan.Row, rows []eventlog.Row) bool {
	if len(want) == 0 {
		return len(rows) == 0
	}
	if want[0].AnyRows {
		for skip := range len(rows) + 1 {
			if v.match(want[1:], rows[skip:]) {
				return true
			}
		}
		return false
	}
	return len(rows) > 0 && v.MatchRow(want[0], rows[0]) && v.match(want[1:], rows[1:])
}

// prefix reports whether rows may still become what want says. A row that can
// change, such as a tool that runs, may still become any.
func (v view) prefix(want []plan.Row, rows []eventlog.Row) bool {
	for i, row := range rows {
		if i >= len(want) {
			return false
		}
		if want[i].AnyRows {
			return true
		}
		if !v.MatchRow(want[i], row) && row.Status != "running" {
			return false
		}
	}
	return true
}

// MatchRow reports whether a row is the wanted one.
func (s Subject) MatchRow(want plan.Row, row eventlog.Row) bool {
	if want.Kind != row.Kind || want.Aborted != (row.Note == "aborted") {
		return false
	}
	return want.AnyText || matchText(s.expand(want.Text), row.Content())
}

// matchText compares a text with a wanted one, in which each * stands for any
// text, of several lines too.
func matchText(want, text string) bool {
	parts := strings.Split(want, "*")
	last := len(parts) - 1
	if last == 0 {
		return want == text
	}
	rest, begins := strings.CutPrefix(text, parts[0])
	for _, part := range parts[1:last] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return begins && strings.HasSuffix(rest, parts[last])
}
