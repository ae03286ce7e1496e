package plan

import (
	"bytes"
	"regexp"
)

// keyLine is a line that begins a key's value, headerLine one that is a header.
var (
	keyLine    = regexp.MustCompile(`^[ \t]*[A-Za-z0-9_."'-]+[ \t]*=`)
	headerLine = regexp.MustCompile(`^\[+[ \t]*[A-Za-z0-9_."'-]+[ \t]*\]`)
)

// unclosed reports whether the parser stumbled at an offset because a value that
// began in a line before it is still open there, and where that line is: the
// slip is in it, however far below the parser noticed.
func (t *treeReader) unclosed(at int) (start int, open bool) {
	line := t.pos(at).Line - 1
	if at < len(t.data) && !headerLine.Match(t.line(line)) && !keyLine.Match(t.line(line)) {
		return 0, false
	}
	for i := t.pos(t.unread).Line - 1; i < line; i++ {
		if l := t.line(i); keyLine.Match(l) {
			return t.lines[i] + len(l) - len(bytes.TrimLeft(l, " \t")), true
		}
	}
	return 0, false
}

// wasRead notes that what begins in the line of an offset was read whole.
func (t *treeReader) wasRead(offset int) {
	if next := t.pos(offset).Line; next < len(t.lines) {
		t.unread = max(t.unread, t.lines[next])
	}
}

// line is the text of a line, counted from 0.
func (t *treeReader) line(i int) []byte {
	if i+1 < len(t.lines) {
		return t.data[t.lines[i]:t.lines[i+1]]
	}
	return t.data[t.lines[i]:]
}
