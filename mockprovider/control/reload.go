package control

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/fsnotify/fsnotify"

	"github.com/heldstream/heldstream/mockprovider"
)

// Reloader gives a Server its script again whenever the script's file changes.
type Reloader struct {
	server *mockprovider.Server
	path   string
	load   func() (*mockprovider.Script, error)
	w      *fsnotify.Watcher
}

// NewReloader watches a file from now on; load reads it. Run must follow.
func NewReloader(s *mockprovider.Server, path string, load func() (*mockprovider.Script, error)) (*Reloader, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", path, err)
	}
	// Editors replace files: the folder is what stays.
	if err := w.Add(filepath.Dir(path)); err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("watch the folder of %s: %w", path, err)
	}
	return &Reloader{s, path, load, w}, nil
}

// Run reloads until the context ends, and returns its error. After each change
// it reports nil, or why the file was refused: then the old script stays.
func (r *Reloader) Run(ctx context.Context, report func(error)) error {
	defer func() { _ = r.w.Close() }()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-r.w.Errors:
			return fmt.Errorf("watch %s: %w", r.path, err)
		case e := <-r.w.Events:
			if filepath.Clean(e.Name) == filepath.Clean(r.path) && e.Op&(fsnotify.Write|fsnotify.Create) != 0 {
				report(reload(r.server, r.load))
			}
		}
	}
}

func reload(s *mockprovider.Server, load func() (*mockprovider.Script, error)) error {
	sc, err := load()
	if err != nil {
		return err
	}
	for _, f := range sc.Check() {
		if !f.Warning {
			return fmt.Errorf("%s: %s", f.Path, f.Message)
		}
	}
	s.SetScript(sc)
	return nil
}
