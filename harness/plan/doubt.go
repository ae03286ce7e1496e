package plan

import "slices"

// What a file lacks can be told only where the file was read whole: a step that
// could not be read may be the one that releases the gate, and saying that
// nothing does would blame a line that is right. So whoever claims that there
// is none of something asks sure first.

// doubts are the tables of a file, by their names, in which something could not
// be read.
type doubts struct {
	in    map[string]bool
	keys  map[string]bool // those of them in which a key is missing, or none
	all   bool            // it may be missing anywhere
	names bool            // a ${name} is none
}

// sure reports whether the tables of these names were read whole.
func (d doubts) sure(tables ...string) bool {
	return !d.all && !slices.ContainsFunc(tables, func(name string) bool { return d.in[name] })
}

// sureOfKeys reports whether no key is missing in the tables of these names,
// whatever values they have.
func (d doubts) sureOfKeys(tables ...string) bool {
	return !d.all && !slices.ContainsFunc(tables, func(name string) bool { return d.keys[name] })
}

// doubt finds the tables that the faults so far stand in. The first of the
// faults, of names in texts, leave the texts to be read.
func (b *builder) doubt(ofNames int) {
	d := doubts{in: map[string]bool{}, keys: map[string]bool{}, all: b.axes.torn, names: ofNames > 0}
	misread := map[Pos]bool{}
	for _, f := range b.faults[ofNames:].Errors() {
		misread[f.Pos] = true
	}
	for _, name := range b.tree.names {
		v := b.tree.members[name]
		d.keys[name] = anyIn(v, func(v *value) bool { return v.kind == isTable && v.broken || misread[v.key] })
		d.in[name] = d.keys[name] || anyIn(v, func(v *value) bool { return misread[v.pos] })
	}
	b.doubts = d
}

// anyIn reports whether something holds for a value, or for any in it.
func anyIn(v *value, holds func(*value) bool) bool {
	in := func(v *value) bool { return anyIn(v, holds) }
	return holds(v) || slices.ContainsFunc(v.items, in) ||
		slices.ContainsFunc(v.names, func(name string) bool { return in(v.members[name]) })
}
