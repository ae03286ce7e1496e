package plan

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// maxRepeat bounds what the { repeat, times } of a file can grow to, together.
const maxRepeat = 64 << 20

// The forms of single values. They are functions because some forms contain
// themselves.

func textForm() form[string] {
	return form[string]{"text", ref("text"), readText}
}

func readText(r *reader, v *value) (string, bool) {
	if v.kind == isTable {
		return readRepeat(r, v)
	}
	if v.kind != isText {
		wrong(r, v, "a text in quotes")
	}
	return v.str, v.kind == isText
}

// repeated is a long text in short.
type repeated struct {
	text  string
	times int
}

func repeatKind() kind[repeated] {
	return kind[repeated]{"a long text", []key[repeated]{
		required(field("repeat", form[string]{"text", schema{"type": "string"}, readPlainText}, func(t *repeated) *string { return &t.text }, "what is repeated")),
		required(field("times", positiveForm(), func(t *repeated) *int { return &t.times }, "how often")),
	}}
}

func textSchema() schema { return anyOf(schema{"type": "string"}, repeatKind().schema()) }

func readPlainText(r *reader, v *value) (string, bool) {
	if v.kind != isText {
		wrong(r, v, "a text in quotes")
	}
	return v.str, v.kind == isText
}

func readRepeat(r *reader, v *value) (string, bool) {
	var t repeated
	if v.members["repeat"] == nil {
		wrong(r, v, "a text in quotes, or { repeat = text, times = N }")
		return "", false
	}
	if !repeatKind().read(r, v, &t) {
		return "", false
	}
	if r.grown == nil {
		r.grown = new(int)
	}
	if len(t.text) > (maxRepeat-*r.grown)/t.times {
		r.fault(v, "with this one, long texts make more than %d MiB in all variants together; take a smaller times", maxRepeat>>20)
		return "", false
	}
	*r.grown += len(t.text) * t.times
	return strings.Repeat(t.text, t.times), true
}

// nonEmptyForm is a name: of a gate, an agent, a method, a file.
func nonEmptyForm(what string) form[string] {
	return form[string]{placeholderName(what), schema{"type": "string", "minLength": 1}, func(r *reader, v *value) (string, bool) {
		s, ok := readPlainText(r, v)
		if ok && s == "" {
			r.fault(v, "want %s, not an empty text", what)
			return "", false
		}
		return s, ok
	}}
}

// placeholderName is how help texts write what is to be filled in.
func placeholderName(what string) string {
	if what == "text" {
		return what
	}
	return strings.ToUpper(what)
}

func wordForm(words ...string) form[string] {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	name := strings.Join(quoted, " | ")
	return form[string]{name, schema{"enum": words}, func(r *reader, v *value) (string, bool) {
		if v.kind != isText {
			wrong(r, v, strings.Join(quoted, ", "))
			return "", false
		}
		if !slices.Contains(words, v.str) {
			r.fault(v, "%s", unknown(fmt.Sprintf("there is no %s", shortQuote(v.str)), v.str, words))
			return "", false
		}
		return v.str, true
	}}
}

func intForm(name string, least int64, want string) form[int] {
	s := schema{"type": "integer"}
	if least > math.MinInt32 {
		s["minimum"] = least
	}
	return form[int]{name, s, func(r *reader, v *value) (int, bool) {
		if v.kind != isInt || v.num < least || v.num > math.MaxInt32 {
			wrong(r, v, want)
			return 0, false
		}
		return int(v.num), true
	}}
}

func countForm() form[int]    { return intForm("N", 0, "a count, 0 or more") }
func positiveForm() form[int] { return intForm("N", 1, "a count, 1 or more") }
func wholeForm() form[int]    { return intForm("N", math.MinInt32, "a whole number") }

func boolForm() form[bool] {
	return form[bool]{"true | false", schema{"type": "boolean"}, func(r *reader, v *value) (bool, bool) {
		if v.kind != isBool {
			wrong(r, v, "true or false")
		}
		return v.yes, v.kind == isBool
	}}
}

// trueForm is for keys that only say that something is so.
func trueForm() form[bool] {
	return form[bool]{"true", schema{"const": true}, func(r *reader, v *value) (bool, bool) {
		if v.kind != isBool || !v.yes {
			wrong(r, v, "true (or leave the key out)")
			return false, false
		}
		return true, true
	}}
}

func durationForm() form[time.Duration] {
	return form[time.Duration]{`"20ms"`, schema{"type": "string", "pattern": `^([0-9.]+(ns|us|µs|ms|s|m|h))+$`}, func(r *reader, v *value) (time.Duration, bool) {
		d, err := time.ParseDuration(v.str)
		if v.kind != isText || err != nil || d < 0 {
			wrong(r, v, `a time like "20ms" or "3s"`)
			return 0, false
		}
		return d, true
	}}
}

func jsonForm() form[json.RawMessage] {
	return form[json.RawMessage]{"any value", schema{}, func(_ *reader, v *value) (json.RawMessage, bool) {
		return v.json(), true
	}}
}

// rawTableForm is a table that goes out as JSON, as it is.
func rawTableForm() form[json.RawMessage] {
	return form[json.RawMessage]{"table", schema{"type": "object"}, func(r *reader, v *value) (json.RawMessage, bool) {
		if v.kind != isTable {
			wrong(r, v, "a table")
			return nil, false
		}
		return v.json(), true
	}}
}

func plainTableForm() form[map[string]any] {
	return form[map[string]any]{"table", schema{"type": "object"}, func(r *reader, v *value) (map[string]any, bool) {
		if v.kind != isTable {
			wrong(r, v, "a table")
			return nil, false
		}
		return v.plainTable(), true
	}}
}

// The forms made of others.

func listForm[V any](f form[V]) form[[]V] {
	return form[[]V]{"list of " + several(f.name), schema{"type": "array", "items": f.schema}, func(r *reader, v *value) ([]V, bool) {
		if v.kind != isArray {
			wrong(r, v, "a list in [ ]")
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
