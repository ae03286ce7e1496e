package tape

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/heldstream/heldstream/internal/lazyre"
)

// MaxBytes is the longest tape that is read.
const MaxBytes = 4 << 20

// maxLine is the longest line of a tape.
const maxLine = 2 << 20

// Parse reads a tape. It takes only what Format writes, byte for byte, so that
// an edited, truncated or damaged tape is an error and never a quiet wait.
func Parse(data []byte) (*Tape, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%d bytes, more than the %d that a tape may have", len(data), MaxBytes)
	}
	if !utf8.Valid(data) {
		return nil, errors.New("no UTF-8 text")
	}
	body, err := checkEnd(data)
	if err != nil {
		return nil, err
	}
	p := parser{}
	for i, line := range strings.Split(strings.TrimSuffix(string(body), "\n"), "\n") {
		if err := p.line(i, line); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	if p.open {
		return nil, errors.New("the last process has no exit line")
	}
	// The values are in canonical form, since what they were unpacked from is.
	values, _ := valuesOf(&p.tape, func(data json.RawMessage) (string, error) { return string(data), nil })
	again, err := format(&p.tape, values)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, data) {
		return nil, errNotWritten
	}
	return &p.tape, nil
}

var errNotWritten = errors.New("not as a recorder writes it (keys sorted, one space between)")

var endLine = lazyre.New(`^end (\d{1,9}) sha256:([0-9a-f]{64})\n$`)

// checkEnd returns what stands above the end line, which must be as it says.
func checkEnd(data []byte) ([]byte, error) {
	at := bytes.LastIndexByte(bytes.TrimSuffix(data, []byte("\n")), '\n') + 1
	m := endLine().FindSubmatch(data[at:])
	if m == nil {
		return nil, errors.New("the end line is missing: the tape is cut off")
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(data[:at])); got != string(m[2]) {
		return nil, errors.New("the checksum in its end line is of other bytes: the tape was edited or damaged")
	}
	if n := bytes.Count(data[:at], []byte("\n")); strconv.Itoa(n) != string(m[1]) {
		return nil, fmt.Errorf("%d lines, %s by its end line", n, m[1])
	}
	return data[:at], nil
}

type parser struct {
	tape   Tape
	open   bool // a section has no exit yet
	check  checker
	packed unpacker
}

func (p *parser) line(i int, text string) error {
	if len(text) > maxLine {
		return fmt.Errorf("%d bytes, more than the %d that a line may have", len(text), maxLine)
	}
	word, rest, _ := strings.Cut(text, " ")
	switch {
	case i == 0:
		return p.head(text)
	case word == "spawn":
		return p.spawn(rest)
	case !p.open:
		return errors.New("stands in no process; spawn must come first")
	case word == "exit":
		p.open = false
		return decode(rest, &p.section().Exit)
	case word == "value":
		return p.packed.value(rest)
	case word == "rollout":
		whole, err := p.packed.unpack(rest)
		p.section().Rollout = append(p.section().Rollout, json.RawMessage(whole))
		return err
	}
	l, err := parseLine(text)
	if err == nil {
		err = p.data(&l)
	}
	if err == nil {
		err = p.check.line(l)
	}
	p.section().Lines = append(p.section().Lines, l)
	return err
}

// data makes a line's data whole.
func (p *parser) data(l *Line) error {
	if len(l.Data) == 0 {
		return nil
	}
	whole, err := p.packed.unpack(string(l.Data))
	l.Data = json.RawMessage(whole)
	return err
}

func (p *parser) section() *Section { return &p.tape.Sections[len(p.tape.Sections)-1] }

func (p *parser) head(text string) error {
	rest, ok := strings.CutPrefix(text, "tape 1 ")
	if !ok {
		return fmt.Errorf("no tape of form 1; it begins %.40q", text)
	}
	if err := decode(rest, &p.tape.Head); err != nil {
		return err
	}
	if r := p.tape.Head.Recorder; r != Recorder {
		return fmt.Errorf("made by recorder %d, this is %d", r, Recorder)
	}
	return nil
}

func (p *parser) spawn(agent string) error {
	if p.open {
		return errors.New("the process before it has no exit line")
	}
	if !word().MatchString(agent) {
		return fmt.Errorf("%.40q names no agent", agent)
	}
	p.tape.Sections = append(p.tape.Sections, Section{Agent: agent})
	p.open, p.check = true, checker{}
	return nil
}

func decode(text string, v any) error {
	if err := shallow([]byte(text)); err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), v)
}

// word is what names threads, methods, classes, events, gates and agents.
var word = lazyre.New(`^[A-Za-z0-9_./$~:*#@+-]{1,200}$`)

func parseLine(text string) (Line, error) {
	parts := strings.SplitN(text, " ", 4)
	if len(parts) < 3 || len(parts[0]) != 1 || !word().MatchString(parts[1]) {
		return Line{}, fmt.Errorf("no line of a tape: %.60q", text)
	}
	l := Line{Mark: Mark(parts[0][0]), Thread: parts[1], Verb: parts[2]}
	if l.Thread == "-" {
		l.Thread = ""
	}
	s, known := shapes[l.Verb]
	if !known || !strings.ContainsRune(s.marks, rune(l.Mark)) {
		return l, fmt.Errorf("%.20q is nothing that %c does", l.Verb, l.Mark)
	}
	rest := ""
	if len(parts) == 4 {
		rest = parts[3]
	}
	return l, l.parts(s, rest)
}

// parts reads what stands behind the verb.
func (l *Line) parts(s shape, rest string) (err error) {
	var part string
	if s.number {
		part, rest, _ = strings.Cut(rest, " ")
		digits := part
		if s.asked {
			digits, l.Tools = strings.CutPrefix(part, "m")
		}
		if l.N, err = strconv.Atoi(digits); err != nil || l.N < 1 || l.N > 1_000_000 {
			return fmt.Errorf("%.20q is no number of a %s", part, l.Verb)
		}
	}
	if s.name {
		if l.Name, rest, _ = strings.Cut(rest, " "); !word().MatchString(l.Name) {
			return fmt.Errorf("%.40q is no name", l.Name)
		}
	}
	if rest == "" {
		return nil
	}
	if !s.data {
		return fmt.Errorf("a %s has no data", l.Verb)
	}
	l.Data = json.RawMessage(rest)
	return nil
}
