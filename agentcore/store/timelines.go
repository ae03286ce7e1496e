package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// Timelines is an agentcore.TimelineStore.
type Timelines struct{ store *Store }

// log is what is known of one file.
type log struct {
	mu    sync.Mutex // held while the file is read or written
	known bool
	size  int64  // of what is whole and durable
	rest  []byte // lines of an Append that failed
}

func (s *Store) log(id string) *log {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lines[id]
	if l == nil {
		l = &log{}
		s.lines[id] = l
	}
	return l
}

func (t *Timelines) name(id string) string {
	return filepath.Join(t.store.root, "timelines", id+".log")
}

// Load implements agentcore.TimelineStore.
func (t *Timelines) Load(id string) (timeline.Timeline, error) {
	if err := badID(id); err != nil {
		return timeline.Timeline{}, err
	}
	l := t.store.log(id)
	l.mu.Lock()
	defer l.mu.Unlock()
	return t.load(id, l)
}

func (t *Timelines) load(id string, l *log) (tl timeline.Timeline, err error) {
	data, err := t.store.fs.ReadFile(t.name(id))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return tl, err
	}
	whole, fault := parse(data, &tl)
	if whole < len(data) {
		if err := t.repair(id, data, whole, fault); err != nil {
			return tl, err
		}
	}
	l.known, l.size = true, int64(whole)
	return tl, nil
}

// parse applies the lines of a log. It returns how many bytes are whole, and
// what is wrong with the line after them.
func parse(data []byte, tl *timeline.Timeline) (whole int, fault error) {
	for whole < len(data) {
		end := bytes.IndexByte(data[whole:], '\n')
		if end < 0 {
			return whole, errTorn
		}
		e, err := decode(data[whole : whole+end])
		if err == nil {
			err = tl.Apply(e)
		}
		if err != nil {
			return whole, err
		}
		whole += end + 1
	}
	return whole, nil
}

var errTorn = errors.New("the last line is torn")

const sumLen = 8 // hexadecimal digits of a line's checksum

func encode(e timeline.Entry) ([]byte, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(data), data), nil
}

func decode(line []byte) (e timeline.Entry, err error) {
	if len(line) < sumLen+1 || line[sumLen] != ' ' {
		return e, errors.New("it is no line of a timeline")
	}
	data := line[sumLen+1:]
	if got := fmt.Sprintf("%08x", crc32.ChecksumIEEE(data)); got != string(line[:sumLen]) {
		return e, errors.New("its checksum is wrong")
	}
	return e, json.Unmarshal(data, &e)
}

// repair cuts off what is not whole. A torn last line was never acknowledged;
// anything else is kept aside.
func (t *Timelines) repair(id string, data []byte, whole int, fault error) error {
	name := t.name(id)
	if !torn(data[whole:], fault) {
		kept := name + ".damaged"
		_ = t.store.fs.Remove(kept)
		if err := t.store.writeNew(kept, data); err != nil {
			return fmt.Errorf("store: %s is damaged (%w) and cannot be kept aside: %w", name, fault, err)
		}
		t.store.tell(name, kept, fmt.Errorf("line %d: %w", bytes.Count(data[:whole], []byte("\n"))+1, fault))
	}
	f, err := t.store.fs.Append(name)
	if err != nil {
		return err
	}
	err = f.Truncate(int64(whole))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// torn says whether what follows the whole lines is what a crash leaves: one
// line without an end, or with zeros where its blocks were not written.
func torn(rest []byte, fault error) bool {
	end := bytes.IndexByte(rest, '\n')
	return errors.Is(fault, errTorn) || end == len(rest)-1 && bytes.IndexByte(rest, 0) >= 0
}

// Append implements agentcore.TimelineStore.
func (t *Timelines) Append(id string, entries []timeline.Entry) error {
	if err := badID(id); err != nil {
		return err
	}
	l := t.store.log(id)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.known {
		if _, err := t.load(id, l); err != nil {
			return err
		}
	}
	for _, e := range entries {
		line, err := encode(e)
		if err != nil {
			return err
		}
		l.rest = append(l.rest, line...)
	}
	if len(l.rest) == 0 {
		return nil
	}
	if err := t.write(id, l); err != nil {
		return fmt.Errorf("store: timeline of %s: %w", id, err)
	}
	l.size += int64(len(l.rest))
	l.rest = nil
	return nil
}

// write appends what is to be written behind what is durable.
func (t *Timelines) write(id string, l *log) error {
	name := t.name(id)
	dir := filepath.Dir(name)
	if l.size == 0 {
		if err := t.store.mkdir(dir); err != nil {
			return err
		}
	}
	f, err := t.store.fs.Append(name)
	if err != nil {
		return err
	}
	// What an earlier try left behind may be there in part.
	err = f.Truncate(l.size)
	if err == nil {
		_, err = f.Write(l.rest)
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil && l.size == 0 {
		err = t.store.fs.SyncDir(dir)
	}
	return err
}

// Delete implements agentcore.TimelineStore.
func (t *Timelines) Delete(id string) error {
	if err := badID(id); err != nil {
		return err
	}
	l := t.store.log(id)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known, l.size, l.rest = true, 0, nil
	err := t.store.fs.Remove(t.name(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, t.store.fs.SyncDir(filepath.Dir(t.name(id))))
}
