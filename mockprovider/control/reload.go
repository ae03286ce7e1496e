package control

import (
	"context"
	"fmt"

	"github.com/heldstream/heldstream/internal/filewatch"
	"github.com/heldstream/heldstream/mockprovider"
)

// Reloader gives a Server its script again whenever the script's file changes.
type Reloader struct {
	server *mockprovider.Server
	load   func() (*mockprovider.Script, error)
	w      *filewatch.Watcher
}

// NewReloader watches a file, and what it includes, from now on; load reads
// them. Run must follow.
func NewReloader(s *mockprovider.Server, path string, load func() (*mockprovider.Script, error), includes ...string) (*Reloader, error) {
	w, err := filewatch.New()
	if err != nil {
		return nil, err
	}
	if err := w.Add(append(includes, path)...); err != nil {
		_ = w.Close()
		return nil, err
	}
	return &Reloader{s, load, w}, nil
}

// Run reloads until the context ends, and returns its error. After each change
// it reports nil, or why the file was refused: then the old script stays.
func (r *Reloader) Run(ctx context.Context, report func(error)) error {
	defer func() { _ = r.w.Close() }()
	for {
		if err := r.w.Next(ctx); err != nil {
			return err
		}
		report(reload(r.server, r.load))
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
