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
