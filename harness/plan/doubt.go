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
	all   bool // it may be missing anywhere
	names bool // a ${name} is none
}

// sure reports whether the tables of these names were read whole.
func (d doubts) sure(tables ...string) bool {
	return !d.all && !slices.ContainsFunc(tables, func(name string) bool { return d.in[name] })
}

// doubt finds the tables that the faults so far stand in. The first of the
// faults, of names in texts, leave the texts to be read.
func (b *builder) doubt(ofNames int) {
	d := doubts{in: map[string]bool{}, all: b.axes.torn, names: ofNames > 0}
	misread := map[Pos]bool{}
	for _, f := range b.faults[ofNames:].Errors() {
		misread[f.Pos] = true
	}
	for _, name := range b.tree.names {
		if !doubtful(b.tree.members[name], misread) {
			continue
		}
		d.in[name] = true
	}
	b.doubts = d
}

func doubtful(v *value, misread map[Pos]bool) bool {
	if v.kind == isTable && v.broken || len(misread) > 0 && (misread[v.pos] || misread[v.key]) {
		return true
	}
	if slices.ContainsFunc(v.items, func(item *value) bool { return doubtful(item, misread) }) {
		return true
	}
	return slices.ContainsFunc(v.names, func(name string) bool { return doubtful(v.members[name], misread) })
}
