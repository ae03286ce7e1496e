package golden

import (
	"bytes"
	"fmt"
	"strings"
)

// MaxBytes is the size above which a golden is refused.
const MaxBytes = 16 << 20

// Parse reads a golden. Any bytes may be given; an error names the line. Its
// memory is bounded by a small multiple of the input, and the input by MaxBytes.
func Parse(data []byte) (File, error) {
	if len(data) > MaxBytes {
		return File{}, fmt.Errorf("golden has %d bytes, more than the %d allowed", len(data), MaxBytes)
	}
	var p parser
	for i, line := range strings.Split(string(bytes.TrimSuffix(data, []byte("\n"))), "\n") {
		if err := p.line(i, line); err != nil {
			return File{}, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return p.file, nil
}

// parser has the file so far; what a line belongs to is always the last
// section and the last lane.
type parser struct {
	file File
}

func (p *parser) line(i int, line string) error {
	switch {
	case i == 0:
		return p.first(line)
	case line == "":
		return nil
	case strings.HasPrefix(line, "== "):
		return p.section(line[3:])
	case strings.HasPrefix(line, "  "):
		return p.event(line[2:])
	default:
		return p.lane(line)
	}
}

func (p *parser) first(line string) (err error) {
	if strings.HasSuffix(line, "\r") {
		return fmt.Errorf("the lines end in CR LF; tell git to leave goldens alone: *.golden -text in .gitattributes")
	}
	version, ok := strings.CutPrefix(line, magic)
	if !ok {
		return fmt.Errorf("a golden starts with %q; this does not: write it again with replay update", magic+"VERSION")
	}
	p.file.Version, err = unescape(version)
	return err
}

func (p *parser) section(line string) error {
	title, err := unescape(line)
	p.file.Sections = append(p.file.Sections, Section{Title: title})
	return err
}

func (p *parser) lane(line string) error {
	if len(p.file.Sections) == 0 {
		return fmt.Errorf("lane %.40q before the first section (== TITLE)", line)
	}
	name, err := unescape(line)
	s := &p.file.Sections[len(p.file.Sections)-1]
	s.Lanes = append(s.Lanes, Lane{Name: name})
	return err
}

func (p *parser) event(line string) error {
	if len(p.file.Sections) == 0 {
		return fmt.Errorf("event %.40q before the first section (== TITLE)", line)
	}
	s := &p.file.Sections[len(p.file.Sections)-1]
	if len(s.Lanes) == 0 {
		return fmt.Errorf("event %.40q before the first lane of its section", line)
	}
	text, err := unescape(line)
	l := &s.Lanes[len(s.Lanes)-1]
	l.Lines = append(l.Lines, text)
	return err
}

// Canonical says whether the bytes are a golden in the form that Format gives,
// and otherwise at which line they are not.
func Canonical(data []byte) error {
	f, err := Parse(data)
	if err != nil {
		return err
	}
	want := Format(f)
	if bytes.Equal(want, data) {
		return nil
	}
	return fmt.Errorf("line %d: not in the form that replay update writes; run replay update", departs(want, data))
}

// departs gives the number of the first line in which two texts differ.
func departs(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return 1 + bytes.Count(a[:n], []byte("\n"))
}
