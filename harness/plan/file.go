package plan

import (
	"cmp"
	"io/fs"
	"maps"
	"slices"
)

// MaxFile bounds a scenario file, in bytes.
const MaxFile = 4 << 20

// File is a scenario file without errors. It can be used by several goroutines.
type File struct {
	Name string
	// Warnings were found by Parse; the file can be played all the same.
	Warnings Faults
	Includes []string // files, by their paths from where Name is

	root *value
	axes *axisTable
}

// Options narrow and complete what a file says.
type Options struct {
	// Set gives axes a single value: those of the matrix, and transport,
	// compaction and codex.
	Set map[string]string
	// Codex is the version that the run uses, whatever the file says; an axis
	// named codex still counts more. "": the file's, else DefaultCodex.
	Codex        string
	DefaultCodex string // "": newer than any version that the file names
}

// Parse reads a scenario file and checks all of its variants, so that all
// faults come in one go. name is what messages call the file. Included files
// are opened in fsys, at their path beside name; a nil fsys has none. The File
// is nil when one of the faults is an error.
func Parse(name string, data []byte, fsys fs.FS) (*File, Faults) {
	root, torn, faults := parseRoot(name, data, fsys)
	if root == nil {
		return nil, faults.tidy()
	}
	r := &reader{}
	f := &File{Name: name, root: root, Includes: includes(root)}
	f.axes = readMatrix(r, root.get("matrix"))
	f.axes.torn = torn || strangeTable(root) || len(f.axes.list) == 0 && len(r.faults) > 0
	r.axes = f.axes
	plans, more := f.variants(Options{}, f.axes.used)
	faults = slices.Concat(faults, r.faults, more)
	if len(plans) == 0 && len(faults.Errors()) == 0 { // or an axis has no value that could be read
		faults = append(faults, Fault{Pos: root.get("exclude").pos, Message: "exclude leaves no variant; take one of its tables out"})
	}
	if len(faults.Errors()) == 0 { // what could not be read may use it
		faults = append(faults, f.unusedAxes()...)
	}
	faults = faults.tidy()
	f.Warnings = faults
	if len(faults.Errors()) > 0 {
		return nil, faults
	}
	return f, faults
}

// parseRoot reads a file and what it includes. It says whether some of that is
// missing.
func parseRoot(name string, data []byte, fsys fs.FS) (root *value, torn bool, faults Faults) {
	start := Pos{name, 1, 1}
	if len(data) > MaxFile {
		return nil, true, Faults{{Pos: start, Message: "the file is larger than 4 MiB; write long texts as { repeat, times }"}}
	}
	root, faults = readTree(name, data)
	if len(root.names) == 0 {
		if len(faults) == 0 {
			faults = Faults{{Pos: start, Message: "the file is empty; `replay new FILE` writes one to start with"}}
		}
		return nil, true, faults
	}
	r := &reader{}
	include(r, root, fsys)
	return root, root.broken || len(r.faults) > 0, slices.Concat(faults, r.faults)
}

// strangeTable reports whether a file has a table that is none: it may be any.
func strangeTable(root *value) bool {
	known := topKind().names()
	return slices.ContainsFunc(root.names, func(name string) bool {
		kind := root.members[name].kind
		return !slices.Contains(known, name) && (kind == isTable || kind == isArray)
	})
}

func (f *File) unusedAxes() Faults {
	var faults Faults
	for _, a := range f.axes.list {
		if !f.axes.used[a.name] && !slices.Contains(builtinAxes(), a.name) {
			faults = append(faults, Fault{Pos: a.pos, Message: "the axis " + a.name + " changes nothing; use ${" + a.name + "} or when, or take it out"})
		}
	}
	return faults
}

// Variants makes the plans of the file: each combination of the matrix that no
// exclude selects. The faults are those of the options.
func (f *File) Variants(o Options) ([]*Plan, Faults) {
	plans, faults := f.variants(o, map[string]bool{})
	return plans, faults.tidy().Errors()
}

// variants notes in used which axes anything asked for.
func (f *File) variants(o Options, used map[string]bool) ([]*Plan, Faults) {
	axes, faults := f.axes.override(f.Name, o.Set)
	if len(faults) > 0 {
		return nil, faults
	}
	full := &axisTable{list: f.axes.list, used: used, torn: f.axes.torn}
	var plans []*Plan
	grown := new(int)
	axes.combine(func(v Variant) {
		b := &builder{reader: reader{axes: full, grown: grown}, file: f, variant: v, options: o}
		if p := b.build(); p != nil {
			plans = append(plans, p)
		}
		faults = append(faults, b.faults...).tidy()
	})
	return plans, faults
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// builder makes one plan.
type builder struct {
	reader
	file    *File
	variant Variant
	options Options
	tree    *value // of this variant
	plan    *Plan

	// The tables of the plan's replies, wire rules and steps.
	replies, wireTables, stepTables []*value
	replyOK, stepOK                 []bool // read without a fault

	doubts doubts

	// What is expected of other versions of codex than this plan's.
	otherVersions []Expectation
}

// build returns nil for a variant that exclude selects.
func (b *builder) build() *Plan {
	b.tree = substitute(&b.reader, b.file.root, b.variant)
	ofNames := len(b.faults)
	d := &draft{}
	topKind().read(&b.reader, b.tree, d)
	b.plan = &d.Plan
	b.plan.place = b.place
	b.plan.File, b.plan.Variant = b.file.Name, b.variant
	b.complete(d)
	if b.excluded() {
		return nil
	}
	b.script(d)
	b.steps()
	b.expectations()
	b.agents()
	b.doubt(ofNames)
	b.plan.Known = b.knownFailures()
	b.check()
	return b.plan
}

// complete fills in what the file leaves out.
func (b *builder) complete(d *draft) {
	p := b.plan
	p.Provider = d.provided.Provider
	p.Provider.Kind = cmp.Or(p.Provider.Kind, "custom")
	p.Provider.Login = cmp.Or(p.Provider.Login, "none")
	p.Provider.Transport = cmp.Or(p.Provider.Transport, "sse")
	p.Manager.Preset = cmp.Or(p.Manager.Preset, "steer")
	p.Manager.OnLost = cmp.Or(p.Manager.OnLost, "report")
	p.Subject.Kind = cmp.Or(p.Subject.Kind, "codex")
	p.Agents = d.agents
	b.applyAxes()
}

// applyAxes lets the built-in axes set what they stand for, or takes their
// values from what is set.
func (b *builder) applyAxes() {
	p := b.plan
	if t, ok := b.variant.Get("transport"); ok {
		p.Provider.Transport = t
	}
	if c, ok := b.variant.Get("compaction"); ok {
		p.Axes.Compaction = c
		p.Provider.Kind = kindFor(c, p.Provider.Kind)
	} else {
		p.Axes.Compaction = "remote-v2"
		if p.Provider.Kind == "custom" {
			p.Axes.Compaction = "local"
		}
	}
	version, _ := b.variant.Get("codex")
	p.Codex.Version = cmp.Or(version, b.options.Codex, p.Codex.Version, b.options.DefaultCodex)
	p.Axes.Codex, p.Axes.Transport = p.Codex.Version, p.Provider.Transport
}

// kindFor is the provider kind with which codex compacts in that form.
func kindFor(compaction, kind string) string {
	switch {
	case compaction == "local":
		return "custom"
	case kind == "custom":
		return "openai"
	}
	return kind
}
