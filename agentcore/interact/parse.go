package interact

import (
	"fmt"
	"strings"
)

// block is one input of a transcript with what stands around it.
type block struct {
	remarks []string // lines before it, kept as they are
	line    string   // the input as it was written
	lane    string   // "" when it is in none
	words   []string
	opts    map[string]string
	number  int // of its line in the file
}

// parse reads a transcript. What came of the inputs is left aside.
func parse(name string, data []byte) (blocks []block, tail []string, err error) {
	var remarks []string
	skipping := false
	for i, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "----":
			skipping = true
		case trimmed == "":
			skipping = false
		case skipping:
		case strings.HasPrefix(trimmed, "#"):
			remarks = append(remarks, line)
		default:
			b, err := parseLine(trimmed)
			if err != nil {
				return nil, nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
			}
			b.remarks, b.number, remarks = remarks, i+1, nil
			blocks = append(blocks, b)
		}
	}
	return blocks, remarks, nil
}

// parseLine splits an input: an optional @lane, words, and key=value options.
// A word may stand in quotes.
func parseLine(line string) (block, error) {
	b := block{line: line, opts: map[string]string{}}
	fields, err := split(line)
	if err != nil {
		return b, err
	}
	if lane, ok := strings.CutPrefix(fields[0].text, "@"); ok && !fields[0].quoted {
		b.lane, fields = lane, fields[1:]
	}
	for _, f := range fields {
		if key, value, ok := strings.Cut(f.text, "="); ok && !f.quoted {
			b.opts[key] = value
		} else {
			b.words = append(b.words, f.text)
		}
	}
	if len(b.words) == 0 {
		return b, fmt.Errorf("an input is missing after %q", line)
	}
	return b, nil
}

type field struct {
	text   string
	quoted bool
}

func split(line string) (fields []field, err error) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimLeft(line, " \t") {
		if line[0] == '"' {
			text, rest, ok := strings.Cut(line[1:], `"`)
			if !ok {
				return nil, fmt.Errorf("a quote is not closed in %q", line)
			}
			fields, line = append(fields, field{text, true}), rest
			continue
		}
		end := strings.IndexAny(line, " \t")
		if end < 0 {
			end = len(line)
		}
		fields, line = append(fields, field{line[:end], false}), line[end:]
	}
	return fields, nil
}

// word is the nth word, or a fault that says what should stand there.
func (b block) word(n int, what string) (string, error) {
	if n < len(b.words) {
		return b.words[n], nil
	}
	return "", fmt.Errorf("%s: %s is missing", b.words[0], what)
}

// or is the nth word, or other.
func (b block) or(n int, other string) string {
	if n < len(b.words) {
		return b.words[n]
	}
	return other
}
