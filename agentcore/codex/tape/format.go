package tape

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
)

// Format writes a tape. The same tape has the same bytes.
func Format(t *Tape) ([]byte, error) {
	var b bytes.Buffer
	head, err := Canonical(mustJSON(t.Head))
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "tape 1 %s\n", head)
	lines := 1
	for _, s := range t.Sections {
		n, err := s.format(&b)
		if err != nil {
			return nil, err
		}
		lines += n
	}
	fmt.Fprintf(&b, "end %d sha256:%x\n", lines, sha256.Sum256(b.Bytes()))
	return b.Bytes(), nil
}

func (s Section) format(b *bytes.Buffer) (lines int, err error) {
	fmt.Fprintf(b, "spawn %s\n", s.Agent)
	for _, l := range s.Lines {
		text, err := l.format()
		if err != nil {
			return 0, fmt.Errorf("%c %s %s: %w", l.Mark, l.Verb, l.Name, err)
		}
		b.WriteString(text + "\n")
	}
	for _, r := range s.Rollout {
		data, err := Canonical(r)
		if err != nil {
			return 0, fmt.Errorf("rollout: %w", err)
		}
		fmt.Fprintf(b, "rollout %s\n", data)
	}
	exit, err := Canonical(mustJSON(s.Exit))
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(b, "exit %s\n", exit)
	return len(s.Lines) + len(s.Rollout) + 2, nil
}

func (l Line) format() (string, error) {
	thread := l.Thread
	if thread == "" {
		thread = "-"
	}
	text := string(l.Mark) + " " + thread + " " + l.Verb
	if shapes[l.Verb].number {
		text += " " + strconv.Itoa(l.N)
	}
	if shapes[l.Verb].name {
		text += " " + l.Name
	}
	if len(l.Data) == 0 {
		return text, nil
	}
	data, err := Canonical(l.Data)
	return text + " " + string(data), err
}

// String is the line as it stands in a file.
func (l Line) String() string {
	text, err := l.format()
	if err != nil {
		return fmt.Sprintf("%c %s %s (%v)", l.Mark, l.Verb, l.Name, err)
	}
	return text
}

// mustJSON is for values of this package, which always have a JSON form.
func mustJSON(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic("tape: " + err.Error())
	}
	return data
}
