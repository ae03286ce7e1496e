package agentcore

import (
	"maps"
	"slices"
	"sync"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// Memory is a RecordStore that forgets with the process. The zero value is
// ready.
type Memory struct {
	mu      sync.Mutex
	records map[string]Record
}

// Load implements RecordStore.
func (s *Memory) Load(id string) (Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.records[id]
	if !ok {
		return Record{}, ErrNotFound
	}
	return r, nil
}

// List implements RecordStore; the records are in the order of their ids.
func (s *Memory) List() ([]Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Record
	for _, id := range slices.Sorted(maps.Keys(s.records)) {
		all = append(all, s.records[id])
	}
	return all, nil
}

// Save implements RecordStore.
func (s *Memory) Save(r Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.records == nil {
		s.records = map[string]Record{}
	}
	s.records[r.ID] = r
	return nil
}

// Delete implements RecordStore.
func (s *Memory) Delete(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.records, id)
	return nil
}

// Immediate says that nothing here takes time: the manager stores at once
// instead of in the background.
func (*Memory) Immediate() {}

// MemoryTimelines is a TimelineStore that forgets with the process. The zero
// value is ready.
type MemoryTimelines struct {
	mu    sync.Mutex
	lines map[string]*timeline.Timeline
}

// Load implements TimelineStore.
func (s *MemoryTimelines) Load(id string) (timeline.Timeline, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.lines[id]; t != nil {
		return t.Clone(), nil
	}
	return timeline.Timeline{}, nil
}

// Append implements TimelineStore.
func (s *MemoryTimelines) Append(id string, entries []timeline.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lines == nil {
		s.lines = map[string]*timeline.Timeline{}
	}
	t := s.lines[id]
	if t == nil {
		t = &timeline.Timeline{}
		s.lines[id] = t
	}
	for _, e := range entries {
		if err := t.Apply(e); err != nil {
			return err
		}
	}
	return nil
}

// Delete implements TimelineStore.
func (s *MemoryTimelines) Delete(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lines, id)
	return nil
}

// Immediate is as that of Memory.
func (*MemoryTimelines) Immediate() {}

// immediate says whether a store never takes time.
func immediate(store any) bool {
	_, ok := store.(interface{ Immediate() })
	return ok
}
