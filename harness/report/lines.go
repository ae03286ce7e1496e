package report

import (
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// UseColor says whether to write colors to a file: it must be a terminal, and
// NO_COLOR (no-color.org) must not be set, nor TERM be dumb.
func UseColor(f *os.File) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// The colors, as the parameters of their escape sequences.
const (
	plain  = ""
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func verdictColor(v Verdict) string {
	switch {
	case v.Bad():
		return red
	case v == Pass:
		return green
	}
	return yellow
}

func opColor(op byte) string {
	return map[byte]string{'-': red, '+': green}[op]
}

func (t *Text) paint(color, s string) string {
	if !t.Color || color == plain {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

func (t *Text) width() int {
	if t.Width > 0 {
		return max(t.Width, 40)
	}
	return 80
}

// raw writes one line of which nothing is foreign, or all was made inert.
func (t *Text) raw(line string) {
	if t.err == nil {
		_, t.err = fmt.Fprintln(t.W, strings.TrimRight(line, " "))
	}
	t.gap = line == ""
}

// blank writes a blank line unless there is one.
func (t *Text) blank() {
	if !t.gap {
		t.raw("")
	}
}

// wrapped writes a foreign text over as many lines as it needs. The first
// begins with first, the others with next.
func (t *Text) wrapped(first, next, text string) { t.styled(plain, first, next, text) }

func (t *Text) styled(color, first, next, text string) {
	start := first
	for _, piece := range wrap(Visible(text), t.width()-max(runes(first), runes(next))) {
		t.raw(t.paint(color, inert(start+piece)))
		start = next
	}
}

// lines writes a foreign text of several lines, at most so many of them.
func (t *Text) lines(start, text string, most int) {
	all := entries(text)
	for _, line := range all[:min(len(all), most)] {
		t.wrapped(start, start+"  ", shorten(strings.ReplaceAll(line, "\t", indent)))
	}
	t.more(len(all), most, "line")
}

func (t *Text) more(n, most int, what string) {
	if n > most {
		t.wrapped(indent+indent, "", "… "+plural(n-most, "more "+what))
	}
}

// wrap breaks a text into pieces of at most width columns, at blanks where
// there are any. It gives at least one piece.
func wrap(text string, width int) []string {
	width = max(width, 20)
	var pieces []string
	for runes(text) > width {
		at := runeIndex(text, width)
		// A blank right behind the last column is as good a place as one before.
		if blank := strings.LastIndexByte(text[:at+1], ' '); blank > 0 && strings.TrimLeft(text[:blank], " ") != "" {
			at = blank
		}
		pieces = append(pieces, strings.TrimRight(text[:at], " "))
		text = strings.TrimLeft(text[at:], " ")
	}
	return append(pieces, text)
}

// runeIndex gives where the n-th rune of a longer text begins.
func runeIndex(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

func runes(s string) int { return utf8.RuneCountInString(s) }

func pad(s string, width int) string { return s + strings.Repeat(" ", max(0, width-runes(s))) }
