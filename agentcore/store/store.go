package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/heldstream/heldstream/agentcore"
)

// Store is a RecordStore; Timelines is the TimelineStore beside it. It is safe
// for concurrent use, by one process at a time.
type Store struct {
	// Damaged, when not nil, is told of each file that could not be read and
	// where it is kept now.
	Damaged func(name, kept string, err error)

	root string
	fs   FS

	mu    sync.Mutex
	index map[string][]string // files by agent; nil until the folders were read
	lines map[string]*log
	temp  int
}

// New is a store below the folder root. fs may be nil: the computer's.
func New(root string, fsys FS) *Store {
	if fsys == nil {
		fsys = Disk{}
	}
	return &Store{root: root, fs: fsys, lines: map[string]*log{}}
}

// Timelines is the store of the timelines.
func (s *Store) Timelines() *Timelines { return &Timelines{s} }

func (s *Store) agents() string { return filepath.Join(s.root, "agents") }

// project makes one name of a folder, as different folders as possible.
func project(cwd string) string {
	name := strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == ':' {
			return '-'
		}
		return r
	}, strings.TrimLeft(cwd, `/\`))
	name = strings.Trim(name, "-.")
	if name == "" {
		return "root"
	}
	return name
}

func badID(id string) error {
	if id == "" || id != path.Base(id) || strings.ContainsAny(id, `/\`) || id[0] == '.' {
		return fmt.Errorf("store: %q cannot name a file", id)
	}
	return nil
}

// Load implements agentcore.RecordStore.
func (s *Store) Load(id string) (agentcore.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.scan(); err != nil {
		return agentcore.Record{}, err
	}
	var best agentcore.Record
	for _, name := range slices.Clone(s.index[id]) {
		r, err := s.read(name)
		if err != nil {
			s.setAside(id, name, err)
			continue
		}
		if best.ID == "" || r.UpdatedAt.After(best.UpdatedAt) {
			best = r
		}
	}
	if best.ID == "" {
		return best, agentcore.ErrNotFound
	}
	return best, nil
}

// List implements agentcore.RecordStore: all that can be read, by id.
func (s *Store) List() ([]agentcore.Record, error) {
	s.mu.Lock()
	err := s.scan()
	var ids []string
	for id := range s.index {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	slices.Sort(ids)
	var all []agentcore.Record
	for _, id := range ids {
		if r, err := s.Load(id); err == nil {
			all = append(all, r)
		}
	}
	return all, err
}

// scan reads the folders once.
func (s *Store) scan() error {
	if s.index != nil {
		return nil
	}
	index := map[string][]string{}
	dirs, err := s.fs.ReadDir(s.agents())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, d := range dirs {
		files, err := s.fs.ReadDir(filepath.Join(s.agents(), d.Name()))
		if err != nil {
			continue // a file, or gone
		}
		for _, f := range files {
			if id, ok := strings.CutSuffix(f.Name(), ".json"); ok && f.Name()[0] != '.' {
				index[id] = append(index[id], filepath.Join(s.agents(), d.Name(), f.Name()))
			}
		}
	}
	s.index = index
	return nil
}

func (s *Store) read(name string) (r agentcore.Record, err error) {
	data, err := s.fs.ReadFile(name)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, err
	}
	if want := strings.TrimSuffix(filepath.Base(name), ".json"); r.ID != want {
		return r, fmt.Errorf("it is the record of %q", r.ID)
	}
	return r, nil
}

// setAside renames what cannot be read, so that nothing overwrites it.
func (s *Store) setAside(id, name string, err error) {
	s.index[id] = slices.DeleteFunc(s.index[id], func(n string) bool { return n == name })
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	kept := name + ".damaged"
	if renamed := s.fs.Rename(name, kept); renamed != nil {
		kept, err = name, errors.Join(err, renamed)
	}
	s.tell(name, kept, err)
}

func (s *Store) tell(name, kept string, err error) {
	if s.Damaged != nil {
		s.Damaged(name, kept, err)
	}
}

// Save implements agentcore.RecordStore.
func (s *Store) Save(r agentcore.Record) error {
	if err := badID(r.ID); err != nil {
		return err
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("store: record of %s: %w", r.ID, err)
	}
	s.mu.Lock()
	err = s.scan()
	s.temp++
	number := s.temp
	s.mu.Unlock()
	if err != nil {
		return err
	}
	dir := filepath.Join(s.agents(), project(r.Cwd))
	name := filepath.Join(dir, r.ID+".json")
	if err := s.replace(dir, name, fmt.Sprintf(".%s.%d.tmp", r.ID, number), append(data, '\n')); err != nil {
		return err
	}
	s.removeOld(r.ID, name)
	return nil
}

// replace writes beside and renames over, durable when it returns.
func (s *Store) replace(dir, name, temp string, data []byte) error {
	if err := s.mkdir(dir); err != nil {
		return err
	}
	beside := filepath.Join(dir, temp)
	_ = s.fs.Remove(beside) // of a process that crashed
	if err := s.writeNew(beside, data); err != nil {
		_ = s.fs.Remove(beside)
		return err
	}
	if err := s.fs.Rename(beside, name); err != nil {
		_ = s.fs.Remove(beside)
		return err
	}
	return s.fs.SyncDir(dir)
}

// mkdir makes a folder whose name is durable.
func (s *Store) mkdir(dir string) error {
	if _, err := s.fs.ReadDir(dir); err == nil {
		return nil
	}
	if err := s.fs.MkdirAll(dir); err != nil {
		return err
	}
	for ; len(dir) >= len(s.root); dir = filepath.Dir(dir) {
		if err := s.fs.SyncDir(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) writeNew(name string, data []byte) error {
	f, err := s.fs.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// removeOld removes the record's files in other folders: the agent has moved.
func (s *Store) removeOld(id, name string) {
	s.mu.Lock()
	old := s.index[id]
	s.index[id] = []string{name}
	s.mu.Unlock()
	for _, o := range old {
		if o != name {
			_ = s.fs.Remove(o)
		}
	}
}

// Delete implements agentcore.RecordStore.
func (s *Store) Delete(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.scan(); err != nil {
		return err
	}
	names := s.index[id]
	delete(s.index, id)
	for _, name := range names {
		if err := s.fs.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := s.fs.SyncDir(filepath.Dir(name)); err != nil {
			return err
		}
	}
	return nil
}
