package store

import (
	"errors"
	"io/fs"
	"path/filepath"
)

var errCrash = errors.New("the machine has crashed")

// crashFS is a file system in memory that crashes before its nth call. What is
// on the disk then is what was synced, and of the rest as much as keep says.
type crashFS struct {
	left  int // calls until the crash; negative: none comes
	files map[string]*memFile
	dirs  map[string]bool
	names map[string]*memFile // what a SyncDir has made durable
}

type memFile struct {
	data, synced []byte
}

func newCrashFS(left int) *crashFS {
	return &crashFS{left: left, files: map[string]*memFile{}, dirs: map[string]bool{"/": true}, names: map[string]*memFile{}}
}

// keep says what becomes of what was not synced.
type keep int

const (
	keepNothing keep = iota
	keepHalf         // half of the bytes; the names
	keepAll
)

// reboot is the file system after the crash.
func (c *crashFS) reboot(k keep) *crashFS {
	next := newCrashFS(-1)
	names := c.names
	if k != keepNothing {
		names = c.files
	}
	for d := range c.dirs {
		next.dirs[d] = true
	}
	for name, f := range names {
		data := f.synced
		switch {
		case k == keepAll:
			data = f.data
		case k == keepHalf && len(f.data) > len(f.synced):
			data = f.data[:len(f.synced)+(len(f.data)-len(f.synced))/2]
		}
		nf := &memFile{data: append([]byte(nil), data...)}
		nf.synced = nf.data
		next.files[name], next.names[name] = nf, nf
	}
	return next
}

func (c *crashFS) call() error {
	if c.left == 0 {
		return errCrash
	}
	c.left--
	return nil
}

func (c *crashFS) MkdirAll(dir string) error {
	if err := c.call(); err != nil {
		return err
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		c.dirs[dir] = true
	}
	return nil
}

func (c *crashFS) ReadDir(dir string) ([]fs.DirEntry, error) {
	if !c.dirs[dir] {
		return nil, fs.ErrNotExist
	}
	var all []fs.DirEntry
	for d := range c.dirs {
		if d != dir && filepath.Dir(d) == dir {
			all = append(all, entry{filepath.Base(d), true})
		}
	}
	for name := range c.files {
		if filepath.Dir(name) == dir {
			all = append(all, entry{filepath.Base(name), false})
		}
	}
	return all, nil
}

func (c *crashFS) ReadFile(name string) ([]byte, error) {
	f := c.files[name]
	if f == nil {
		return nil, fs.ErrNotExist
	}
	return append([]byte(nil), f.data...), nil
}

func (c *crashFS) Create(name string) (File, error) {
	if c.files[name] != nil {
		return nil, fs.ErrExist
	}
	return c.Append(name)
}

func (c *crashFS) Append(name string) (File, error) {
	if err := c.call(); err != nil {
		return nil, err
	}
	if !c.dirs[filepath.Dir(name)] {
		return nil, fs.ErrNotExist
	}
	if c.files[name] == nil {
		c.files[name] = &memFile{}
	}
	return &handle{c, c.files[name]}, nil
}

func (c *crashFS) Rename(from, to string) error {
	if err := c.call(); err != nil {
		return err
	}
	f := c.files[from]
	if f == nil {
		return fs.ErrNotExist
	}
	delete(c.files, from)
	c.files[to] = f
	return nil
}

func (c *crashFS) Remove(name string) error {
	if err := c.call(); err != nil {
		return err
	}
	if c.files[name] == nil {
		return fs.ErrNotExist
	}
	delete(c.files, name)
	return nil
}

func (c *crashFS) SyncDir(dir string) error {
	if err := c.call(); err != nil {
		return err
	}
	for name := range c.names {
		if filepath.Dir(name) == dir && c.files[name] == nil {
			delete(c.names, name)
		}
	}
	for name, f := range c.files {
		if filepath.Dir(name) == dir {
			c.names[name] = f
		}
	}
	return nil
}

type handle struct {
	fs *crashFS
	f  *memFile
}

func (h *handle) Write(p []byte) (int, error) {
	if err := h.fs.call(); err != nil {
		h.f.data = append(h.f.data, p[:len(p)/2]...)
		return len(p) / 2, err
	}
	h.f.data = append(h.f.data, p...)
	return len(p), nil
}

func (h *handle) Truncate(size int64) error {
	if err := h.fs.call(); err != nil {
		return err
	}
	h.f.data = h.f.data[:size:size]
	return nil
}

func (h *handle) Sync() error {
	if err := h.fs.call(); err != nil {
		return err
	}
	h.f.synced = append([]byte(nil), h.f.data...)
	return nil
}

func (h *handle) Close() error { return nil }

// entry is a fs.DirEntry.
type entry struct {
	name string
	dir  bool
}

func (e entry) Name() string               { return e.name }
func (e entry) IsDir() bool                { return e.dir }
func (e entry) Type() fs.FileMode          { return 0 }
func (e entry) Info() (fs.FileInfo, error) { return nil, errors.New("no info") }
