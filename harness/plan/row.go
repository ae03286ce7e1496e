package plan

import "strings"

// Matches says whether the row stands for a row of that kind and text.
func (w Row) Matches(kind, text string, aborted bool) bool {
	return w.AnyRows || w.Kind == kind && w.Aborted == aborted && glob(w.Text, text)
}

// glob matches a text with a pattern in which * stands for any text.
func glob(pattern, text string) bool {
	head, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, head)
	for ok {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(text, rest)
		}
		_, text, ok = strings.Cut(text, part)
		rest = after
	}
	return false
}
