package responses

import "bytes"

// Template is the events of a response, ready but for one text: the part of
// its ids that tells it from other responses. To fill one in is much cheaper
// than to write the response anew. It is safe for concurrent use.
type Template struct {
	kinds  []string
	pieces [][][]byte // of each event, what stands around the text
}

// NewTemplate makes a template of events where mark stands for the text. The
// mark must be such as stands nowhere else, and as JSON leaves as it is.
func NewTemplate(events []Event, mark string) *Template {
	t := &Template{}
	for _, e := range events {
		t.kinds = append(t.kinds, e.Type)
		t.pieces = append(t.pieces, bytes.Split(e.Data, []byte(mark)))
	}
	return t
}

// Events are the events with this text, which must need no quoting in JSON.
func (t *Template) Events(text string) []Event {
	events := make([]Event, len(t.kinds))
	var room store
	var scratch [1024]byte
	for i, pieces := range t.pieces {
		data := append(scratch[:0], pieces[0]...)
		for _, p := range pieces[1:] {
			data = append(append(data, text...), p...)
		}
		events[i] = Event{t.kinds[i], room.keep(data)}
	}
	return events
}

// store keeps copies. Small ones share blocks, which saves most of the
// allocations; who keeps one of them keeps no more than a block.
type store struct{ block []byte }

func (s *store) keep(data []byte) []byte {
	const block, small = 2048, 512
	if len(data) > small {
		return bytes.Clone(data)
	}
	if len(data) > cap(s.block)-len(s.block) {
		s.block = make([]byte, 0, block)
	}
	at := len(s.block)
	s.block = append(s.block, data...)
	return s.block[at:len(s.block):len(s.block)]
}
