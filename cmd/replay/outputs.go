package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/report"
	"github.com/heldstream/heldstream/harness/report/html"
)

// outputs are the files that a run writes beside what it prints.
type outputs struct {
	junit, html, trace string

	mu       sync.Mutex
	variants []html.Variant
}

// keep takes a variant's log, where a file asks for it.
func (o *outputs) keep(out harness.Outcome) {
	if o.html == "" && o.trace == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.variants = append(o.variants, html.Variant{Result: out.Result, Events: out.Events})
}

// write writes the files once all is played. Variants come in the order of the
// run's results.
func (o *outputs) write(run report.Run) error {
	byKey := map[string]html.Variant{}
	for _, v := range o.variants {
		byKey[key(v.Result)] = v
	}
	var ordered []html.Variant
	for _, r := range run.Results {
		if v, ok := byKey[key(r)]; ok {
			v.Result = r
			ordered = append(ordered, v)
		}
	}
	var failed error // what can be written is
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{o.junit, func(w io.Writer) error { return report.WriteJUnit(w, run) }},
		{o.html, func(w io.Writer) error {
			return html.Write(w, html.Report{Elapsed: run.Elapsed, Interrupted: run.Interrupted, Variants: ordered})
		}},
		{o.trace, func(w io.Writer) error { return writeTrace(w, ordered) }},
	} {
		if f.name != "" {
			failed = errors.Join(failed, writeFile(f.name, f.write))
		}
	}
	return errors.Join(failed, o.github(run))
}

// check says which files cannot be written before anything is played for them. A
// file that is there is left as it is until then.
func (o *outputs) check() error {
	var failed error
	for _, name := range []string{o.junit, o.html, o.trace} {
		if name != "" {
			failed = errors.Join(failed, writable(name))
		}
	}
	return failed
}

func writable(name string) error {
	info, err := os.Stat(name)
	switch {
	case name == "-":
		return errors.New("cannot write to -: name a file; /dev/stdout is one")
	case err == nil && info.IsDir():
		return fmt.Errorf("cannot write %s: it is a folder; name a file in it", name)
	case err == nil && !info.Mode().IsRegular(): // opening a pipe would wait for its reader
		return nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return unwritable(name, err)
	}
	return f.Close()
}

func unwritable(name string, err error) error {
	return fmt.Errorf("cannot write %s: %w; name a file in a folder that exists, on a disk that has room", name, why(err))
}

// why is what the system says, without the path that stands there already.
func why(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

func key(r report.Result) string { return r.File + " " + r.Variant.String() }

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return unwritable(name, err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return unwritable(name, err)
	}
	return nil
}

// writeTrace writes a line that names the variant, and then its whole log.
func writeTrace(w io.Writer, variants []html.Variant) error {
	enc := json.NewEncoder(w)
	for _, v := range variants {
		head := map[string]any{"scenario": v.Result.Scenario, "variant": v.Result.Variant, "verdict": v.Result.Verdict}
		if err := enc.Encode(head); err != nil {
			return err
		}
		for _, e := range v.Events {
			if err := enc.Encode(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// github adds the job's summary when GitHub runs this; annotations come with
// the results (see results).
func (o *outputs) github(run report.Run) error {
	name := os.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" || !onGitHub() {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	if err := report.WriteJobSummary(f, run); err != nil {
		_ = f.Close() // the first fault counts
		return err
	}
	return f.Close()
}

func onGitHub() bool { return os.Getenv("GITHUB_ACTIONS") == "true" }
