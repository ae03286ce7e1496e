package mockprovider

import "time"

// Limits bound what clients may take from a Server. Zero fields have the
// defaults given here.
type Limits struct {
	Body    int64         // bytes of a request body, as sent and decoded: 32 MiB
	Read    time.Duration // for a client to send its body: 30s
	Write   time.Duration // for a client to take a frame: 30s
	Journal int           // entries that the journal keeps: 10,000
	Bytes   int           // bytes of headers, bodies and events that it keeps: 64 MiB
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Body:    or(l.Body, 32<<20),
		Read:    or(l.Read, 30*time.Second),
		Write:   or(l.Write, 30*time.Second),
		Journal: or(l.Journal, 10_000),
		Bytes:   or(l.Bytes, 64<<20),
	}
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
