package plan

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// reader collects the faults of one variant.
type reader struct {
	faults Faults
	axes   *axisTable
	grown  *int // bytes that long texts have grown to, in all variants
}

// maxFaults bounds what is said about one variant.
const maxFaults = 200

// fault tells what is wrong with a value, unless that follows from a slip in it
// that was told already.
func (r *reader) fault(v *value, format string, args ...any) {
	if v.broken {
		return
	}
	message := fmt.Sprintf(format, args...)
	if v.origin != "" {
		message += fmt.Sprintf(" (%s is %q here)", v.origin, axisText(v.plain()))
	}
	r.faultAt(v.pos, "%s", message)
}

func (r *reader) faultAt(pos Pos, format string, args ...any) {
	switch {
	case len(r.faults) < maxFaults:
		r.faults = append(r.faults, Fault{Pos: pos, Message: fmt.Sprintf(format, args...)})
	case len(r.faults) == maxFaults:
		r.faults = append(r.faults, Fault{Pos: pos, Message: "there is more to mend, from about here; mend the others first"})
	}
}

func (r *reader) warn(pos Pos, format string, args ...any) {
	r.faults = append(r.faults, Fault{Pos: pos, Message: fmt.Sprintf(format, args...), Warning: true})
}

// form is a form that a value can have: its name in help texts, how an editor
// checks it, and how it reads. read reports what is wrong itself.
type form[V any] struct {
	name   string
	schema schema
	read   func(r *reader, v *value) (V, bool)
}

// named gives a form another name in help texts.
func (f form[V]) named(name string) form[V] {
	f.name = name
	return f
}

// wrong reports that a value has not the form that it should have.
func wrong(r *reader, v *value, want string) {
	r.fault(v, "want %s, not %s", want, described(v))
}

func described(v *value) string {
	switch v.kind {
	case isArray:
		return "a list"
	case isTable:
		return "a table"
	case isText:
		return "the text " + shortQuote(v.str)
	}
	return axisText(v.plain())
}

func shortQuote(s string) string {
	if runes := []rune(s); len(runes) > 40 {
		s = string(runes[:40]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// key is one key of a kind of table.
type key[T any] struct {
	name, form, use string
	must            bool
	schema          schema
	read            func(r *reader, v *value, into *T)
}

// field is a key whose value goes where at says.
func field[T, V any](name string, f form[V], at func(*T) *V, use string) key[T] {
	return key[T]{name: name, form: f.name, use: use, schema: f.schema, read: func(r *reader, v *value, into *T) {
		if got, ok := f.read(r, v); ok {
			*at(into) = got
		}
	}}
}

// optional is a field that tells "not given" from zero.
func optional[T, V any](name string, f form[V], at func(*T) **V, use string) key[T] {
	return key[T]{name: name, form: f.name, use: use, schema: f.schema, read: func(r *reader, v *value, into *T) {
		if got, ok := f.read(r, v); ok {
			*at(into) = &got
		}
	}}
}

// required is a key that must be there.
func required[T any](k key[T]) key[T] {
	k.must = true
	return k
}

// elsewhere is a key that somebody else reads.
func elsewhere[T any](name, form, use string, s schema) key[T] {
	return key[T]{name: name, form: form, use: use, schema: s, read: func(*reader, *value, *T) {}}
}

// once is a value that is built when it is first asked for. Unlike one of
// sync.OnceValue it may be named by what builds it.
type once[T any] struct {
	build sync.Once
	value T
}

func (o *once[T]) get(build func() T) T {
	o.build.Do(func() { o.value = build() })
	return o.value
}

// kind is a kind of table.
type kind[T any] struct {
	name string // as messages call it: "a reply"
	keys []key[T]
}

// read reads all keys of a table and reports those that it has not, and those
// that are missing.
func (k kind[T]) read(r *reader, v *value, into *T) bool {
	if v.kind != isTable {
		wrong(r, v, k.name+" as a table, like "+k.example())
		return false
	}
	before, meant := len(r.faults), map[string]bool{}
	for _, name := range v.names {
		i := slices.IndexFunc(k.keys, func(key key[T]) bool { return key.name == name })
		if i < 0 {
			r.faultAt(v.members[name].key, "%s", unknownKey(name, k.name, k.names()))
			meant[nearest(name, k.names())] = true
			continue
		}
		k.keys[i].read(r, v.members[name], into)
	}
	k.missing(r, v, meant)
	return len(r.faults) == before
}

func (k kind[T]) missing(r *reader, v *value, meant map[string]bool) {
	for _, key := range k.keys {
		if key.must && v.members[key.name] == nil && !meant[key.name] && !v.broken {
			r.faultAt(v.pos, "%s needs %q; add %s = %s", k.name, key.name, key.name, placeholder(key.form))
		}
	}
}

func (k kind[T]) names() []string {
	names := make([]string, len(k.keys))
	for i, key := range k.keys {
		names[i] = key.name
	}
	return names
}

func (k kind[T]) example() string {
	var parts []string
	for _, key := range k.keys {
		if key.must || len(parts) == 0 {
			parts = append(parts, key.name+" = "+placeholder(key.form))
		}
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// placeholder is how a value of a form looks in an example.
func placeholder(form string) string {
	switch {
	case strings.HasPrefix(form, `"`):
		first, _, _ := strings.Cut(form, " | ")
		return first
	case form == "N" || strings.HasPrefix(form, "N |"):
		return "1"
	case strings.HasPrefix(form, "true"):
		return "true"
	case strings.HasPrefix(form, "list"):
		return "[…]"
	case strings.HasPrefix(form, "table"), strings.HasPrefix(form, "{"):
		return "{…}"
	}
	return `"…"`
}

// form makes a kind of table a form of value.
func (k kind[T]) asForm() form[T] {
	return form[T]{name: "{ " + strings.Join(k.names(), ", ") + " }", schema: k.schema(), read: func(r *reader, v *value) (T, bool) {
		var into T
		ok := k.read(r, v, &into)
		return into, ok
	}}
}

// positioned is a kind whose values keep their place.
func positioned[T any](f form[T], at func(*T) *Pos) form[T] {
	read := f.read
	f.read = func(r *reader, v *value) (T, bool) {
		got, ok := read(r, v)
		*at(&got) = v.pos
		return got, ok
	}
	return f
}
