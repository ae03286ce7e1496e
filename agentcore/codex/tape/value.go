package tape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxDepth is how deep values may nest.
const maxDepth = 40

// Canonical is a JSON value with its keys sorted, numbers as they were, and no
// space between.
func Canonical(data []byte) (json.RawMessage, error) {
	v, err := Decode(data)
	if err != nil {
		return nil, err
	}
	return Encode(v)
}

// Decode reads one JSON value of bounded depth; numbers keep their digits.
func Decode(data []byte) (any, error) {
	if err := shallow(data); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

// Encode writes a value that Decode gave. Texts stay readable.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// shallow refuses what nests too deep, before anything recursive reads it.
func shallow(data []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return fmt.Errorf("values nest deeper than %d", maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}
