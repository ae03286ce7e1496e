// Package filewatch tells when files change, as the system tells it: nothing
// polls.
package filewatch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// Watcher waits for changes of files, and of the files directly in folders,
// also of those whose folders come later, or go and come again. What it does not
// see is a folder that goes because one far above it is moved: at once only the
// folder itself is watched. Its methods are for one goroutine.
type Watcher struct {
	w       *fsnotify.Watcher
	names   map[string]bool
	folders map[string]bool // those watched, and all above names: what is watched depends on them
}

// New watches nothing yet. Close must follow.
func New() (*Watcher, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("files cannot be watched: %w", err)
	}
	return &Watcher{w, map[string]bool{}, map[string]bool{}}, nil
}

// Add watches files and folders from now on. They need not be there yet.
func (w *Watcher) Add(names ...string) error {
	for _, name := range names {
		name = filepath.Clean(name)
		w.names[name] = true
		for dir := filepath.Dir(name); !w.folders[dir]; dir = filepath.Dir(dir) {
			w.folders[dir] = true
		}
	}
	return w.watch()
}

// watch asks the system for what there is to see of each name. To ask again
// costs little, and a folder that was made again is another one to the system.
func (w *Watcher) watch() error {
	for name := range w.names {
		if err := w.follow(name); err != nil {
			return fmt.Errorf("the folder of %s cannot be watched: %w", name, err)
		}
	}
	return nil
}

// follow watches the folder nearest to name, and looks again then: it may have
// gone, or a nearer one come, before it was watched.
func (w *Watcher) follow(name string) error {
	for dir, seen := nearest(name), ""; dir != seen; dir = nearest(name) {
		err := w.w.Add(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil {
			w.folders[dir], seen = true, dir
		}
	}
	return nil
}

// nearest is name if it is a folder, or else the first above it that is there:
// editors replace files, the folder is what stays.
func nearest(name string) string {
	for dir := name; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
	}
}

// Next returns after a change: nil once something that is watched was written
// or created, or may have been because a folder came or went or the system
// dropped changes; ctx's error when that ends first. Changes since the last call
// count.
func (w *Watcher) Next(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-w.w.Errors:
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				return w.watch()
			}
			return fmt.Errorf("files cannot be watched: %w", err)
		case e := <-w.w.Events:
			if w.changes(e) {
				return w.watch()
			}
		}
	}
}

func (w *Watcher) changes(e fsnotify.Event) bool {
	name := filepath.Clean(e.Name)
	if w.names[name] || w.names[filepath.Dir(name)] {
		if e.Op&(fsnotify.Write|fsnotify.Create) != 0 {
			return true
		}
	}
	return w.folders[name] && e.Op&(fsnotify.Create|fsnotify.Remove|fsnotify.Rename) != 0
}

// Close ends the watching.
func (w *Watcher) Close() error { return w.w.Close() }
