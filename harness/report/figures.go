package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// figure is one line of the table that says what a variant came to. Its name is
// that of the expectation about it.
type figure struct{ name, value string }

func figuresOf(r Result) []figure {
	all := []figure{
		{"sends", strings.Join(r.Sends, ", ")},
		{"calls", counts(r.Calls)},
		{"compactions", fmt.Sprintf("%d started, %d completed, %d aborted", r.Compactions.Started, r.Compactions.Completed, r.Compactions.Aborted)},
		{"requests", counts(r.Requests)},
		{"turns", strings.Join(r.Turns, ", ")},
		{"delivered", quoted(r.Delivered)},
		{"lost", quoted(r.Lost)},
		{"lifecycle", strings.Join(r.Lifecycle, ", ")},
	}
	return slices.DeleteFunc(all, func(f figure) bool { return f.value == "" })
}

func counts(m map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, m[name]))
	}
	return strings.Join(parts, ", ")
}

func quoted(texts []string) string {
	const most = 60
	var parts []string
	for _, text := range texts {
		parts = append(parts, `"`+cut(Visible(text), most)+`"`)
	}
	return strings.Join(parts, ", ")
}

func (t *Text) figures(r Result) {
	const column = 13
	t.blank()
	for _, f := range figuresOf(r) {
		t.wrapped(indent+pad(f.name, column), indent+strings.Repeat(" ", column), f.value)
	}
}
