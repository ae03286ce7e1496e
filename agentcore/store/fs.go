package store

import (
	"io"
	"io/fs"
	"os"
)

// FS is what a Store needs of a file system; tests have one that fails.
type FS interface {
	MkdirAll(dir string) error
	ReadDir(dir string) ([]fs.DirEntry, error)
	ReadFile(name string) ([]byte, error)
	// Create makes a file that must not be there.
	Create(name string) (File, error)
	// Append opens a file for writing at its end, making it if need be.
	Append(name string) (File, error)
	Rename(from, to string) error
	Remove(name string) error
	// SyncDir makes the names in a folder durable.
	SyncDir(dir string) error
}

// File is an open file.
type File interface {
	io.Writer
	Truncate(size int64) error
	Sync() error
	Close() error
}

// Disk is the FS of the computer.
type Disk struct{}

// MkdirAll implements FS.
func (Disk) MkdirAll(dir string) error { return os.MkdirAll(dir, 0o700) }

// ReadDir implements FS.
func (Disk) ReadDir(dir string) ([]fs.DirEntry, error) { return os.ReadDir(dir) }

// ReadFile implements FS.
func (Disk) ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }

// Create implements FS.
func (Disk) Create(name string) (File, error) {
	return open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
}

// Append implements FS.
func (Disk) Append(name string) (File, error) {
	return open(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
}

func open(name string, flag int) (File, error) {
	f, err := os.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Rename implements FS.
func (Disk) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements FS.
func (Disk) Remove(name string) error { return os.Remove(name) }

// SyncDir implements FS.
func (Disk) SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
