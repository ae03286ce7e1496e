package tape

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Format writes a tape. The same tape has the same bytes.
func Format(t *Tape) ([]byte, error) {
	values, err := valuesOf(t, canonicalValue)
	if err != nil {
		return nil, err
	}
	return format(t, values)
}

// format writes a tape with its values in canonical form.
func format(t *Tape, values []string) ([]byte, error) {
	var b bytes.Buffer
	head, err := Canonical(mustJSON(t.Head))
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "tape 1 %s\n", head)
	pack := newPacker()
	for _, v := range values {
		if v != "" {
			pack.meet(v)
		}
	}
	for _, s := range t.Sections {
		if err := s.format(&b, pack, &values); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(&b, "end %d sha256:%x\n", bytes.Count(b.Bytes(), []byte("\n")), sha256.Sum256(b.Bytes()))
	return b.Bytes(), nil
}

// valuesOf are the values of all lines in their order; "" of a line that has none.
func valuesOf(t *Tape, form func(json.RawMessage) (string, error)) (values []string, err error) {
	take := func(data json.RawMessage, where string) {
		value, e := form(data)
		if e != nil && err == nil {
			err = fmt.Errorf("%s: %w", where, e)
		}
		values = append(values, value)
	}
	for _, s := range t.Sections {
		for _, l := range s.Lines {
			take(l.Data, l.head())
		}
		for _, r := range s.Rollout {
			take(r, "rollout")
		}
	}
	return values, err
}

func canonicalValue(data json.RawMessage) (string, error) {
	if len(data) == 0 {
		return "", nil
	}
	value, err := Canonical(data)
	if err == nil {
		err = unpacked(string(value))
	}
	return string(value), err
}

func unpacked(value string) error {
	if strings.Contains(value, "{{@") || strings.Contains(value, "{{*") {
		return errors.New("it holds what only stands in packed values")
	}
	return nil
}

// format writes the lines of a section with the first of the values.
func (s Section) format(b *bytes.Buffer, pack *packer, values *[]string) error {
	write := func(head string) {
		packed := ""
		if v := (*values)[0]; v != "" {
			packed = " " + pack.pack(v)
		}
		*values = (*values)[1:]
		for _, line := range pack.lines {
			b.WriteString(line + "\n")
		}
		pack.lines = nil
		b.WriteString(head + packed + "\n")
	}
	fmt.Fprintf(b, "spawn %s\n", s.Agent)
	for _, l := range s.Lines {
		write(l.head())
	}
	for range s.Rollout {
		write("rollout")
	}
	exit, err := Canonical(mustJSON(s.Exit))
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "exit %s\n", exit)
	return nil
}

// head is a line without its data.
func (l Line) head() string {
	thread := l.Thread
	if thread == "" {
		thread = "-"
	}
	text := string(l.Mark) + " " + thread + " " + l.Verb
	if shapes[l.Verb].number {
		text += " " + l.number()
	}
	if shapes[l.Verb].name {
		text += " " + l.Name
	}
	return text
}

// String is the line with its data whole.
func (l Line) String() string {
	value, err := canonicalValue(l.Data)
	if err != nil {
		value = fmt.Sprintf("(%v)", err)
	}
	return strings.TrimSuffix(l.head()+" "+value, " ")
}

// mustJSON is for values of this package, which always have a JSON form.
func mustJSON(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic("tape: " + err.Error())
	}
	return data
}
