package sse

import (
	"bytes"
	"errors"
)

// Event is one decoded event. Type is the event line's, "" without one.
type Event struct {
	Type string
	Data []byte
}

// ErrTooLong says that an event outgrew the Decoder's limit.
var ErrTooLong = errors.New("sse: event longer than the limit")

// Decoder takes a stream in pieces of any size and gives the complete events
// in it. Comments are no events. The zero value has a limit of 16 MiB an event.
type Decoder struct {
	Limit int // bytes an event may have

	line   []byte
	afterC bool // the last byte was CR: an LF that follows belongs to it
	size   int  // bytes of the open event
	kind   string
	data   []byte
	has    bool // a data line was seen
}

// Write gives the events that p completes. After an error it must not be used.
func (d *Decoder) Write(p []byte) ([]Event, error) {
	var done []Event
	for _, c := range p {
		if d.afterC && c == '\n' {
			d.afterC = false
			continue
		}
		d.afterC = c == '\r'
		if c != '\n' && c != '\r' {
			if d.size++; d.size > d.limit() {
				return done, ErrTooLong
			}
			d.line = append(d.line, c)
			continue
		}
		if e, ok := d.endLine(); ok {
			done = append(done, e)
		}
	}
	return done, nil
}

func (d *Decoder) limit() int {
	if d.Limit > 0 {
		return d.Limit
	}
	return 16 << 20
}

func (d *Decoder) endLine() (Event, bool) {
	line := d.line
	d.line = d.line[:0]
	if len(line) == 0 {
		return d.dispatch()
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		d.kind = string(value)
	case "data":
		if d.has {
			d.data = append(d.data, '\n')
		}
		d.data, d.has = append(d.data, value...), true
	}
	return Event{}, false
}

// dispatch ends the open event; without data there is none.
func (d *Decoder) dispatch() (Event, bool) {
	e, has := Event{d.kind, d.data}, d.has
	d.kind, d.data, d.has, d.size = "", nil, false, 0
	return e, has
}
