package plan

import (
	"fmt"
	"slices"
	"strings"
)

func whenSchema() schema {
	scalar := schema{"type": []string{"string", "number", "boolean"}}
	return schema{"type": "object", "additionalProperties": anyOf(scalar, schema{"type": "array", "items": scalar})}
}

// condition is one key of a when.
type condition struct {
	axis   string
	values []string // one of them must hold
}

// readWhen reads the when of a table; none selects every variant.
func readWhen(r *reader, table *value) []condition {
	v := table.get("when")
	if v == nil {
		return nil
	}
	if v.kind != isTable {
		wrong(r, v, `a table of axes, like { send = "replace" }`)
		return nil
	}
	var list []condition
	for _, name := range v.names {
		if c, ok := readCondition(r, name, v.members[name]); ok {
			list = append(list, c)
		}
	}
	return list
}

func readCondition(r *reader, name string, v *value) (condition, bool) {
	known := append(r.axes.names(), builtinAxes()...)
	if !slices.Contains(known, name) {
		if !r.axes.torn {
			r.faultAt(v.key, "%s", unknown(fmt.Sprintf("there is no axis %q", name), name, known))
		}
		return condition{}, false
	}
	r.axes.used[name] = true
	list := []*value{v}
	if v.kind == isArray {
		list = v.items
	}
	c := condition{axis: name}
	for _, item := range list {
		text := axisText(item.plain())
		if item.kind == isArray || item.kind == isTable {
			wrong(r, item, "a value of the axis, or a list of them")
			return c, false
		}
		if !canHold(r, name, item, text) {
			return c, false
		}
		c.values = append(c.values, text)
	}
	return c, true
}

// canHold reports a condition that no variant can meet.
func canHold(r *reader, name string, v *value, text string) bool {
	if name == "codex" {
		if fault := VersionRange(text).fault(); fault != "" {
			r.fault(v, "%s", fault)
			return false
		}
		return true
	}
	values := r.axes.texts(name)
	if want := strings.TrimSpace(strings.TrimPrefix(text, "!=")); !slices.Contains(values, want) {
		r.fault(v, "%s", unknown(fmt.Sprintf("%s is never %s", name, shortQuote(want)), want, values))
		return false
	}
	return true
}

// texts are the values that an axis can have.
func (t *axisTable) texts(name string) []string {
	var texts []string
	if a := t.find(name); a != nil {
		for _, v := range a.values {
			texts = append(texts, axisText(v.plain()))
		}
		return texts
	}
	return map[string][]string{"transport": transports(), "compaction": compactionForms()}[name]
}

// selects says whether all conditions but those on codex hold, and which codex
// versions the others select.
func selects(list []condition, v Variant, axes Axes) (bool, []VersionRange) {
	var codex []VersionRange
	for _, c := range list {
		if c.axis == "codex" {
			codex = versionRanges(c.values)
			continue
		}
		if !slices.ContainsFunc(c.values, func(want string) bool { return sameValue(want, valueIn(c.axis, v, axes)) }) {
			return false, nil
		}
	}
	return true, codex
}

func versionRanges(values []string) []VersionRange {
	ranges := make([]VersionRange, len(values))
	for i, v := range values {
		ranges[i] = VersionRange(v)
	}
	return ranges
}

func valueIn(name string, v Variant, axes Axes) string {
	if text, ok := v.Get(name); ok {
		return text
	}
	return map[string]string{"transport": axes.Transport, "compaction": axes.Compaction, "codex": axes.Codex}[name]
}

func sameValue(want, is string) bool {
	if not, ok := strings.CutPrefix(want, "!="); ok {
		return strings.TrimSpace(not) != is
	}
	return want == is
}

func anyVersion(ranges []VersionRange, version string) bool {
	return len(ranges) == 0 || slices.ContainsFunc(ranges, func(r VersionRange) bool { return r.Matches(version) })
}
