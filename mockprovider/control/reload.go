package control

import (
	"context"
	"fmt"

	"github.com/heldstream/heldstream/internal/filewatch"
	"github.com/heldstream/heldstream/mockprovider"
)

// Reloader gives a Server its script again whenever a file of the script changes.
type Reloader struct {
	server *mockprovider.Server
	files  func() []string
	load   func() (*mockprovider.Script, error)
	w      *filewatch.Watcher
}

// NewReloader watches files from now on; load reads them. Files is asked again
// before each load: what the script includes may be otherwise by then. Run must
// follow.
func NewReloader(s *mockprovider.Server, files func() []string, load func() (*mockprovider.Script, error)) (*Reloader, error) {
	w, err := filewatch.New()
	if err != nil {
		return nil, err
	}
	if err := w.Add(files()...); err != nil {
		_ = w.Close()
		return nil, err
	}
	return &Reloader{s, files, load, w}, nil
}

// Run reloads until the context ends, and returns its error. After each change
// it reports nil, or why the files were refused: then the old script stays.
func (r *Reloader) Run(ctx context.Context, report func(error)) error {
	defer func() { _ = r.w.Close() }()
	for {
		if err := r.w.Next(ctx); err != nil {
			return err
		}
		// Watched first: what changes while it is read is seen next.
		if err := r.w.Add(r.files()...); err != nil {
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
