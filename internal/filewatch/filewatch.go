// Package filewatch tells when files change, as the system tells it: nothing
// polls.
package filewatch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// Watcher waits for changes of files, and of the files directly in folders. Its
// methods are for one goroutine.
type Watcher struct {
	w     *fsnotify.Watcher
	names map[string]bool
}

// New watches nothing yet. Close must follow.
func New() (*Watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("files cannot be watched: %w", err)
	}
	return &Watcher{w, map[string]bool{}}, nil
}

// Add watches files and folders from now on. A file need not be there yet, but
// its folder must.
func (w *Watcher) Add(names ...string) error {
	for _, name := range names {
		name = filepath.Clean(name)
		if w.names[name] {
			continue
		}
		dir := name
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			dir = filepath.Dir(name) // editors replace files: the folder is what stays
		}
		if err := w.w.Add(dir); err != nil {
			return fmt.Errorf("the folder of %s cannot be watched: %w", name, err)
		}
		w.names[name] = true
	}
	return nil
}

// Next returns after a change: nil once something that is watched was written
// or created, ctx's error when that ends first. Changes since the last call
// count.
func (w *Watcher) Next(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-w.w.Errors:
			return fmt.Errorf("files cannot be watched: %w", err)
		case e := <-w.w.Events:
			name := filepath.Clean(e.Name)
			if e.Op&(fsnotify.Write|fsnotify.Create) != 0 && (w.names[name] || w.names[filepath.Dir(name)]) {
				return nil
			}
		}
	}
}

// Close ends the watching.
func (w *Watcher) Close() error { return w.w.Close() }
