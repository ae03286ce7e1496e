package tape

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What occurs again in a tape is stored once: a value line in front of the first
// line that has it gives it a number, and "{{@3}}" stands for it from then on.
// So a request is little more than what it adds to the one before. Text that
// repeats itself is cut to {{*12000:x}}. In memory all is whole: packing is known
// to Format and Parse alone.

const (
	minShared = 48  // bytes of a value that is worth a number
	minRun    = 128 // bytes of a run that is worth a {{*}}
	maxUnit   = 32  // bytes that repeat themselves

	maxValues = 16 << 20 // bytes of all that is put back in a tape, or of an answer
)

// packer packs the values of a tape, which are in canonical form.
type packer struct {
	met    map[string]int // how often a value occurs
	number map[string]int // of those written so far
	lines  []string       // value lines to be written before the next line
}

func newPacker() *packer { return &packer{met: map[string]int{}, number: map[string]int{}} }

// meet counts a value; those in it only the first time, for the value itself is
// shared from the second on.
func (p *packer) meet(value string) {
	if len(value) >= minShared {
		if p.met[value]++; p.met[value] > 1 {
			return
		}
	}
	inner(value, func(_, v string) string { p.meet(v); return "" })
}

// pack returns the form of a value that is written.
func (p *packer) pack(value string) string {
	if p.met[value] < 2 {
		return p.packInner(value)
	}
	if p.number[value] == 0 {
		text := p.packInner(value)
		p.number[value] = len(p.number) + 1
		p.lines = append(p.lines, fmt.Sprintf("value %d %s", p.number[value], text))
	}
	return fmt.Sprintf(`"{{@%d}}"`, p.number[value])
}

func (p *packer) packInner(value string) string {
	if strings.HasPrefix(value, `"`) {
		return squeeze(value)
	}
	return inner(value, func(before, v string) string { return before + p.pack(v) })
}

// inner calls f for each value in an array or object, with what stands before it
// in the text, and joins what f returns. A value that holds no others is
// returned as it is.
func inner(value string, f func(before, v string) string) string {
	if value[0] != '[' && value[0] != '{' || len(value) == 2 {
		return value
	}
	var b strings.Builder
	from := 0
	for at := 1; at < len(value); {
		if value[0] == '{' {
			at = skip(value, at) + 1 // the key and its colon
		}
		end := skip(value, at)
		b.WriteString(f(value[from:at], value[at:end]))
		from, at = end, end+1
	}
	b.WriteString(value[from:])
	return b.String()
}

// skip returns where the value that begins at i ends.
func skip(text string, i int) int {
	depth := 0
	for quoted := false; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
			continue
		case c == '"':
			quoted = !quoted
		case quoted:
			continue
		case c == '[' || c == '{':
			depth++
			continue
		case c == ']' || c == '}':
			if depth == 0 {
				return i // of what a number stands in
			}
			depth--
		case (c == ',' || c == ':') && depth == 0:
			return i
		default:
			continue
		}
		if depth == 0 && !quoted {
			return i + 1
		}
	}
	return i
}

// squeeze cuts the runs in a quoted text.
func squeeze(text string) string {
	if len(text) < minRun {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		unit, n := run(text[i:])
		if n > 0 {
			fmt.Fprintf(&b, "{{*%d:%s}}", n, unit)
		} else {
			n, unit = 1, text[i:i+letter(text[i:])]
			b.WriteString(unit)
		}
		i += n * len(unit)
	}
	return b.String()
}

// run finds what a text begins with and repeats often enough.
func run(text string) (unit string, n int) {
	for size := 1; size <= maxUnit && len(text) >= minRun; size++ {
		if text[:minRun-size] != text[size:minRun] || !unbroken(text[:size]) {
			continue
		}
		end := minRun
		for end < len(text) && text[end] == text[end-size] {
			end++
		}
		return text[:size], end / size
	}
	return "", 0
}

// unbroken reports whether a unit splits no letter and is no placeholder's part.
func unbroken(unit string) bool {
	at := 0
	for at < len(unit) {
		if strings.IndexByte(`"{}`, unit[at]) >= 0 {
			return false
		}
		at += letter(unit[at:])
	}
	return at == len(unit)
}

// letter is how many bytes the first letter of a quoted text has.
func letter(text string) int {
	switch {
	case len(text) > 1 && text[0] == '\\' && text[1] == 'u':
		return min(6, len(text))
	case text[0] == '\\':
		return 2
	}
	_, n := utf8.DecodeRuneInString(text)
	return n
}

// unpacker puts back what a packer has taken out.
type unpacker struct {
	values []string
	size   int // of all that was put back
}

// value takes a value line.
func (u *unpacker) value(text string) error {
	number, packed, _ := strings.Cut(text, " ")
	if number != strconv.Itoa(len(u.values)+1) {
		return fmt.Errorf("value %.20q stands where %d is due", number, len(u.values)+1)
	}
	whole, err := u.unpack(packed)
	u.values = append(u.values, whole)
	return err
}

// unpack returns a value as it was before it was packed. Both are in canonical
// form, or it is an error.
func (u *unpacker) unpack(packed string) (string, error) {
	if form, err := Canonical([]byte(packed)); err != nil {
		return "", err
	} else if string(form) != packed {
		return "", errNotWritten
	}
	whole, err := u.whole(packed)
	if err != nil {
		return "", err
	}
	return whole, errors.Join(unpacked(whole), shallow([]byte(whole)))
}

// whole puts everything back into a packed value.
func (u *unpacker) whole(packed string) (string, error) {
	var b strings.Builder
	rest := packed
	for {
		at := strings.Index(rest, "{{")
		if at < 0 {
			break
		}
		text, end, quotes, err := u.placeholder(rest[at:])
		if err != nil {
			return "", err
		}
		if quotes > 0 && (at == 0 || rest[at-1] != '"' || !strings.HasPrefix(rest[at+end:], `"`)) {
			return "", fmt.Errorf("%.20q does not stand for a value", rest[at:])
		}
		if u.size += len(text); u.size > maxValues {
			return "", fmt.Errorf("more than the %d bytes that all values may have", maxValues)
		}
		b.WriteString(rest[:at-quotes])
		b.WriteString(text)
		rest = rest[at+end+quotes:]
	}
	b.WriteString(rest)
	return b.String(), nil
}

// placeholder reads the one that a text begins with: what stands for it, where
// it ends, and how many quotes on each side belong to it. Those that the player
// fills are left as they are.
func (u *unpacker) placeholder(text string) (whole string, end, quotes int, err error) {
	if !strings.HasPrefix(text, "{{@") && !strings.HasPrefix(text, "{{*") {
		return "{{", 2, 0, nil
	}
	end = strings.Index(text, "}}") + 2
	if end < 2 {
		return "", 0, 0, fmt.Errorf("%.20q has no end", text)
	}
	number, unit, repeats := strings.Cut(text[3:end-2], ":")
	n, err := strconv.Atoi(number)
	switch {
	case err != nil || n < 1 || n > maxValues || repeats != (text[2] == '*'):
		return "", 0, 0, fmt.Errorf("%.20q is no value", text)
	case repeats && n*len(unit) > maxValues:
		return "", 0, 0, fmt.Errorf("%.20q is longer than the %d bytes that all values may have", text, maxValues)
	case repeats:
		return strings.Repeat(unit, n), end, 0, nil
	case n > len(u.values):
		return "", 0, 0, fmt.Errorf("there is no value %d above", n)
	}
	return u.values[n-1], end, 1, nil
}
