package plan

import (
	"fmt"
	"slices"
	"strings"
)

// maxVariants bounds a matrix.
const maxVariants = 256

// axisTable is what a file says about axes: its matrix, and the built-in ones.
type axisTable struct {
	list []axis
	used map[string]bool // names that anything asked for
	torn bool            // some of the file could not be read: there may be more axes
}

type axis struct {
	name   string
	pos    Pos
	values []*value
}

// builtinAxes have a value in every variant.
func builtinAxes() []string { return []string{"transport", "compaction", "codex"} }

func compactionForms() []string { return []string{"local", "remote-v1", "remote-v2"} }

// readMatrix reads [matrix]: each key an axis, each a list of single values.
func readMatrix(r *reader, v *value) *axisTable {
	table := &axisTable{used: map[string]bool{}}
	if v == nil {
		return table
	}
	if v.kind != isTable {
		wrong(r, v, "a table of axes, like { send = [\"replace\", \"steer\"] }")
		return table
	}
	variants := 1
	for _, name := range v.names {
		a := readAxis(r, name, v.members[name])
		if variants*len(a.values) > maxVariants {
			r.faultAt(a.pos, "the matrix makes more than %d variants; take values out, or split the file", maxVariants)
			a.values = a.values[:1]
		}
		variants *= len(a.values)
		table.list = append(table.list, a)
	}
	return table
}

// readAxis keeps the values that are right, so that a slip in one does not make
// the axis unknown to the rest of the file.
func readAxis(r *reader, name string, v *value) axis {
	a := axis{name: name, pos: v.key}
	if runTimeName(name) || strings.ContainsAny(name, "${}.=,/ ") || name == "" {
		r.faultAt(v.key, "an axis cannot be called %q; take another name", name)
	}
	if v.kind != isArray || len(v.items) == 0 {
		wrong(r, v, "a list of values, like [\"replace\", \"steer\"]")
	}
	for i, item := range v.items {
		if axisValueOK(r, name, item, v.items[:i]) {
			a.values = append(a.values, item)
		}
	}
	return a
}

func axisValueOK(r *reader, name string, v *value, before []*value) bool {
	text := axisText(v.plain())
	switch {
	case v.kind == isArray || v.kind == isTable:
		wrong(r, v, "a text, a number or true or false")
	case strings.ContainsAny(text, ",=/\\\n\x00"):
		r.fault(v, "%s cannot be part of a file's name, where values of axes stand; take another value", shortQuote(text))
	case slices.ContainsFunc(before, func(b *value) bool { return axisText(b.plain()) == text }):
		r.fault(v, "%s is here a second time; take it out", shortQuote(text))
	default:
		return builtinValueOK(r, name, v)
	}
	return false
}

func builtinValueOK(r *reader, name string, v *value) bool {
	known := map[string][]string{"transport": transports(), "compaction": compactionForms()}[name]
	switch {
	case known != nil:
		_, ok := wordForm(known...).read(r, v)
		return ok
	case name == "codex" && !isVersion(v.str):
		wrong(r, v, `a codex version like "0.171.0"`)
		return false
	}
	return true
}

func (t *axisTable) find(name string) *axis {
	for i := range t.list {
		if t.list[i].name == name {
			return &t.list[i]
		}
	}
	return nil
}

func (t *axisTable) names() []string {
	names := make([]string, len(t.list))
	for i, a := range t.list {
		names[i] = a.name
	}
	return names
}

// combine calls f for each combination, the last axis changing fastest.
func (t *axisTable) combine(f func(Variant)) {
	var rest func(v Variant, list []axis)
	rest = func(v Variant, list []axis) {
		if len(list) == 0 {
			f(slices.Clone(v))
			return
		}
		for _, val := range list[0].values {
			rest(append(v, Axis{list[0].name, val.plain()}), list[1:])
		}
	}
	rest(nil, t.list)
}

// override narrows axes to the values of --set.
func (t *axisTable) override(file string, set map[string]string) (*axisTable, Faults) {
	out := &axisTable{list: slices.Clone(t.list), used: t.used}
	var faults Faults
	for _, name := range sortedKeys(set) {
		a := out.find(name)
		if a == nil && !slices.Contains(builtinAxes(), name) {
			known := append(out.names(), builtinAxes()...)
			what := unknown(fmt.Sprintf("there is no axis %q to set", name), name, known)
			faults = append(faults, Fault{Pos: Pos{file, 1, 1}, Message: what})
			continue
		}
		if a == nil {
			out.list = append(out.list, axis{name: name})
			a = &out.list[len(out.list)-1]
		}
		r := &reader{}
		v := likeValue(a.values, set[name])
		v.pos = Pos{file, 1, 1}
		builtinValueOK(r, name, v)
		faults = append(faults, r.faults...)
		a.values = []*value{v}
	}
	return out, faults
}

// likeValue is the value of the axis that reads like text, or a new text.
func likeValue(values []*value, text string) *value {
	for _, v := range values {
		if axisText(v.plain()) == text {
			c := *v
			return &c
		}
	}
	return &value{kind: isText, str: text}
}
