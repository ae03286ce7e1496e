package plan

import "strings"

// The forms made of others.

func listForm[V any](f form[V]) form[[]V] {
	return form[[]V]{"list of " + several(f.name), schema{"type": "array", "items": f.schema}, func(r *reader, v *value) ([]V, bool) {
		if v.kind != isArray {
			wrong(r, v, "a list"+listLike(v))
			return nil, false
		}
		list, ok := make([]V, 0, len(v.items)), true
		for _, item := range v.items {
			got, good := f.read(r, item)
			list, ok = append(list, got), ok && good
		}
		return list, ok
	}}
}

// listLike is the cure for a single value where a list belongs.
func listLike(v *value) string {
	switch {
	case v.headed:
		return " of tables, with [[ ]] around its name"
	case v.kind == isText:
		return ", like [" + shortQuote(v.str) + "]"
	}
	return " in [ ]"
}

// several is the name of a form after "list of" or "table of".
func several(form string) string {
	switch {
	case form == "text" || form == "table":
		return form + "s"
	case strings.Contains(form, " | "):
		return "(" + form + ")"
	}
	return form
}

// oneOrMore is a list that may be written as its only element.
func oneOrMore[V any](f form[V]) form[[]V] {
	list := listForm(f)
	name := f.name + " | a list of them"
	if f.name == "text" {
		name = "text | " + list.name
	}
	return form[[]V]{name, anyOf(f.schema, list.schema), func(r *reader, v *value) ([]V, bool) {
		if v.kind == isArray {
			return list.read(r, v)
		}
		one, ok := f.read(r, v)
		return []V{one}, ok
	}}
}

func mapForm[V any](f form[V]) form[map[string]V] {
	return form[map[string]V]{"table of " + several(f.name), schema{"type": "object", "additionalProperties": f.schema}, func(r *reader, v *value) (map[string]V, bool) {
		if v.kind != isTable {
			wrong(r, v, "a table")
			return nil, false
		}
		m, ok := make(map[string]V, len(v.names)), true
		for _, name := range v.names {
			got, good := f.read(r, v.members[name])
			m[name], ok = got, ok && good
		}
		return m, ok
	}}
}

// convert is a form whose values are made into something else.
func convert[A, B any](f form[A], to func(A) B) form[B] {
	return form[B]{f.name, f.schema, func(r *reader, v *value) (B, bool) {
		a, ok := f.read(r, v)
		return to(a), ok
	}}
}

// placedText is a text with its place.
func placedText(f form[string]) form[Text] {
	return form[Text]{f.name, f.schema, func(r *reader, v *value) (Text, bool) {
		s, ok := f.read(r, v)
		return Text{v.pos, s}, ok
	}}
}

// byKind is a form that is written in one of several ways, told apart by the
// kind of value.
func byKind[V any](name string, forms map[valueKind]form[V]) form[V] {
	var schemas []schema
	for k := isText; k <= isTable; k++ {
		if f, ok := forms[k]; ok {
			schemas = append(schemas, f.schema)
		}
	}
	return form[V]{name, anyOf(schemas...), func(r *reader, v *value) (V, bool) {
		f, ok := forms[v.kind]
		if !ok {
			var none V
			wrong(r, v, name)
			return none, false
		}
		return f.read(r, v)
	}}
}
