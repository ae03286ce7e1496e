package golden

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape makes one line of a text, and the same text of that line again with
// unescape. What an editor could lose or a terminal obey is written as \n, \t,
// \xNN (a byte), \uNNNN or \UNNNNNNNN; a backslash is doubled. Blanks at the ends and an
// empty text are written so that they can be seen.
func escape(text string) string {
	if text == "" {
		return `\e`
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		edge := i == 0 || i+size == len(text)
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError && size == 1, r < 0x20, r == 0x7f, r == ' ' && edge:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

// unescape is the way back; it takes more than escape writes, and Canonical
// notices that.
func unescape(line string) (string, error) {
	if line == `\e` {
		return "", nil
	}
	var b strings.Builder
	for {
		at := strings.IndexByte(line, '\\')
		if at < 0 {
			return b.String() + line, nil
		}
		b.WriteString(line[:at])
		text, rest, err := unescapeOne(line[at:])
		if err != nil {
			return "", err
		}
		b.WriteString(text)
		line = rest
	}
}

// digits has how many hexadecimal digits follow an escape's letter.
var digits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

func unescapeOne(s string) (text, rest string, err error) {
	if len(s) < 2 {
		return "", "", fmt.Errorf(`\ at the end of the line`)
	}
	switch s[1] {
	case '\\':
		return `\`, s[2:], nil
	case 'n':
		return "\n", s[2:], nil
	case 't':
		return "\t", s[2:], nil
	}
	n := digits[s[1]]
	if n == 0 || len(s) < 2+n {
		return "", "", fmt.Errorf("unknown escape %.4q", s)
	}
	v, err := strconv.ParseUint(s[2:2+n], 16, 32)
	if err != nil {
		return "", "", fmt.Errorf("escape %q is no hexadecimal number", s[:2+n])
	}
	if s[1] == 'x' {
		return string([]byte{byte(v)}), s[2+n:], nil
	}
	return string(rune(v)), s[2+n:], nil
}
