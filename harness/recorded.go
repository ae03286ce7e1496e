package harness

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/harness/golden"
	"github.com/heldstream/heldstream/harness/plan"
)

// CheckRecorded looks at the goldens and tapes of what the paths name: each must
// belong to a variant of a scenario, and have the form in which it is written. Of
// a path that is a folder these are all below it, of a file those that are named
// after it. What has a faulty scenario file is left out: nobody can say what
// belongs to it. loaded are files that were read already.
func CheckRecorded(paths []string, loaded []*plan.File) plan.Faults {
	var faults plan.Faults
	for _, a := range areasOf(paths) {
		plans, ok := a.plans(loaded)
		if !ok {
			continue
		}
		for _, s := range a.shelves(plans) {
			faults = append(faults, s.check()...)
		}
	}
	slices.SortFunc(faults, func(x, y plan.Fault) int { return cmp.Compare(x.File, y.File) })
	return faults
}

// area is a folder of scenarios with those below it, or one scenario file.
type area struct {
	path string
	deep bool
}

func (a area) dir() string {
	if a.deep {
		return a.path
	}
	return filepath.Dir(a.path)
}

// file is the scenario file that an area is, if it is one.
func (a area) file() string {
	if a.deep {
		return ""
	}
	return a.path
}

func areasOf(paths []string) []area {
	var all []area
	for _, p := range paths {
		info, err := os.Stat(p)
		a := area{path: p, deep: err == nil && info.IsDir()}
		if !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	return all
}

// plans are those of all variants of the area.
func (a area) plans(loaded []*plan.File) ([]*plan.Plan, bool) {
	var faults plan.Faults
	list := []string{a.path}
	if a.deep {
		list = below(a.path, &faults)
	}
	files, rest := split(loaded, list)
	more, bad := Load(rest)
	plans, worse := Select(append(files, more...), Filter{})
	return plans, len(slices.Concat(faults, bad, worse).Errors()) == 0
}

// split gives those of the named files that are loaded, and the names of the rest.
func split(loaded []*plan.File, names []string) (files []*plan.File, rest []string) {
	for _, name := range names {
		if i := slices.IndexFunc(loaded, func(f *plan.File) bool { return f.Name == name }); i >= 0 {
			files = append(files, loaded[i])
		} else {
			rest = append(rest, name)
		}
	}
	return files, rest
}

// shelf is a folder of recorded files.
type shelf struct {
	dir      string
	deep     bool     // with the folders below it
	of       string   // the scenario file whose own these are; empty: all
	expected []string // what may be there, of the usual codex version
}

// shelves are the folders in which an area's goldens and tapes are. Outside of a
// library each scenario has one of its own.
func (a area) shelves(plans []*plan.Plan) []*shelf {
	var all []*shelf
	if first := filepath.Join(a.dir(), "any.toml"); inLibrary(first) {
		all = append(all, &shelf{dir: filepath.Dir(goldenPath(first, nil, "")), deep: a.deep, of: a.file()})
	}
	for _, p := range plans {
		file := goldenFile(p, "")
		i := slices.IndexFunc(all, func(s *shelf) bool { return s.dir == filepath.Dir(file) || s.deep })
		if i < 0 {
			i = len(all)
			all = append(all, &shelf{dir: filepath.Dir(file)})
		}
		all[i].expected = append(all[i].expected, file)
	}
	return all
}

// check says what is wrong with the files of a folder.
func (s *shelf) check() plan.Faults {
	fsys := os.DirFS(s.dir)
	orphans, err := golden.Orphans(fsys, ".", s.names())
	if err != nil {
		return plan.Faults{recordedFault(s.dir, err.Error())}
	}
	var faults plan.Faults
	for _, name := range s.recorded(fsys) {
		file := filepath.Join(s.dir, filepath.FromSlash(name))
		if slices.Contains(orphans, name) {
			faults = append(faults, recordedFault(file, "no scenario has a variant that it is of; delete it, or mend the scenario's name or matrix"))
		} else if err := readable(file); err != nil {
			faults = append(faults, recordedFault(file, err.Error()))
		}
	}
	return faults
}

// names are those of what may be there, seen from the folder.
func (s *shelf) names() []string {
	var names []string
	for _, e := range s.expected {
		if rel, err := filepath.Rel(s.dir, e); err == nil {
			names = append(names, filepath.ToSlash(rel))
		}
	}
	return names
}

func recordedFault(file, message string) plan.Fault {
	return plan.Fault{Pos: plan.Pos{File: file, Line: 1, Column: 1}, Message: message}
}

// recorded are the names of the goldens and tapes that are there.
func (s *shelf) recorded(fsys fs.FS) []string {
	var names []string
	_ = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error { // what cannot be read is not there
		switch {
		case err != nil || name == ".":
		case d.IsDir() && (!s.deep || d.Name() == failingFolder):
			return fs.SkipDir
		case golden.IsRecorded(name) && s.holds(name):
			names = append(names, name)
		}
		return nil
	})
	return names
}

// holds says that a recorded file counts: it is named after the scenario, and
// not after another beside it with a longer name.
func (s *shelf) holds(name string) bool {
	if s.of == "" {
		return true
	}
	stem := strings.TrimSuffix(filepath.Base(s.of), ".toml")
	rest, ok := strings.CutPrefix(name, stem)
	if !ok || rest == "" || !strings.ContainsAny(rest[:1], ".@") {
		return false
	}
	for i, c := range rest[1:] {
		if c == '.' && exists(filepath.Join(filepath.Dir(s.of), stem+rest[:i+1]+".toml")) {
			return false
		}
	}
	return true
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// readable reads a golden or a tape, which takes only the form in which it is
// written.
func readable(file string) error {
	if filepath.Ext(file) == ".tape" {
		if _, err := readTape(file); err != nil {
			return fmt.Errorf("%w; `replay update --tape` of its scenario records it anew", err)
		}
		return nil
	}
	_, err := readGolden(file)
	return err
}
