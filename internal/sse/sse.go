// Package sse writes and reads server-sent events.
package sse

import (
	"bytes"
	"slices"
)

// Format says how an event is put on the wire. The zero value is the usual
// form: an event line, a data line, a blank line, each ended by LF.
type Format struct {
	CRLF         bool
	NoEventLines bool
}

func (f Format) eol() string {
	if f.CRLF {
		return "\r\n"
	}
	return "\n"
}

// Append appends one event to b. Line breaks in data start a new data line.
func (f Format) Append(b []byte, kind string, data []byte) []byte {
	const around = 32 // event, data, and the line ends
	b = slices.Grow(b, len(kind)+len(data)+around)
	eol := f.eol()
	if !f.NoEventLines && kind != "" {
		b = append(append(append(b, "event: "...), kind...), eol...)
	}
	for {
		line, rest, more := bytes.Cut(data, []byte("\n"))
		b = append(append(append(b, "data: "...), line...), eol...)
		if !more {
			return append(b, eol...)
		}
		data = rest
	}
}

// Comment appends a comment, which readers ignore.
func (f Format) Comment(b []byte, text string) []byte {
	return append(append(append(append(b, ": "...), text...), f.eol()...), f.eol()...)
}
