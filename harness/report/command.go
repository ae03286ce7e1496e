package report

import "strings"

// command is what plays only this variant: what the runner said, or else what
// its file, axes and codex amount to. It is empty when there is no file.
func (r Result) command() string {
	if r.Command != "" || r.File == "" {
		return r.Command
	}
	words := []string{"replay", "run", quote(r.File)}
	ownAxis := false
	for _, a := range r.Variant {
		words = append(words, "--set", quote(a.Name+"="+a.Value))
		ownAxis = ownAxis || a.Name == "codex"
	}
	if r.Codex.Version != "" && !ownAxis {
		words = append(words, "--codex", quote(r.Codex.Mode+"@"+r.Codex.Version))
	}
	if r.Manager != "" {
		words = append(words, "--manager", quote(r.Manager))
	}
	return strings.Join(words, " ")
}

// ShellWords are words as one line of a POSIX shell.
func ShellWords(words []string) string {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, quote(w))
	}
	return strings.Join(quoted, " ")
}

// quote makes one word of a POSIX shell of a text.
func quote(s string) string {
	safe := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_./=@:,+%", c)
	}
	if s != "" && strings.TrimFunc(s, safe) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// rows is the timeline with the moment marked where something failed. When the
// runner marked nothing, that is the row where the wanted timeline and the one
// that came part.
func (r Result) rows() []Row {
	rows := append([]Row(nil), r.Timeline...)
	for _, row := range rows {
		if row.Mark != "" {
			return rows
		}
	}
	for _, f := range r.Failures {
		if at, ok := parts(f, rows); ok {
			rows[at].Mark = f.What
			return rows
		}
	}
	return rows
}

// parts gives the row at which a failure about the whole timeline shows.
func parts(f Failure, rows []Row) (at int, ok bool) {
	want, got := entries(f.Want), entries(f.Got)
	if len(rows) == 0 || len(got) != len(rows) {
		return 0, false
	}
	for i, row := range rows {
		if Visible(row.Text) != Visible(got[i]) {
			return 0, false // about something else than the timeline
		}
	}
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	return min(at, len(rows)-1), true
}
