package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible gives text in which nothing can act on a terminal or turn the reading
// order round: control characters, invisible and direction marks and bytes that
// are no UTF-8 stand as escapes like \x1b and \u202e. A newline becomes \n.
func Visible(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xffff && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// Lines makes the list form of [Failure.Want] and Got: one entry a line, a
// newline inside an entry shown as \n.
func Lines(entries []string) string {
	visible := make([]string, len(entries))
	for i, e := range entries {
		visible[i] = Visible(e)
	}
	return strings.Join(visible, "\n")
}

// inert is Visible for a whole output line: besides, what a CI system would
// take for a command there is broken up by an escape.
func inert(text string) string {
	text = Visible(text)
	if trimmed := strings.TrimLeft(text, " "); strings.HasPrefix(trimmed, "::") {
		text = text[:len(text)-len(trimmed)] + `\x3a` + trimmed[1:]
	}
	return breakHash(text)
}

// breakHash breaks ##[...] and ##word[...], which some CI systems obey
// anywhere in a line.
func breakHash(text string) string {
	var b strings.Builder
	for {
		at := strings.Index(text, "##")
		if at < 0 {
			return b.String() + text
		}
		b.WriteString(text[:at])
		word := strings.TrimLeftFunc(text[at+2:], unicode.IsLetter)
		if strings.HasPrefix(word, "[") {
			b.WriteString(`\x23#`)
			text = text[at+2:]
			continue
		}
		b.WriteByte('#')
		text = text[at+1:]
	}
}
