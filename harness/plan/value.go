package plan

import (
	"encoding/json"
	"strconv"
	"strings"
)

type valueKind int

const (
	isText valueKind = iota + 1
	isInt
	isFloat
	isBool
	isArray
	isTable
)

func (k valueKind) String() string {
	return [...]string{"nothing", "text", "number", "number", "true or false", "list", "table"}[k]
}

// value is a node of the file. Values are not changed once the file is read;
// a variant gets copies of those that hold names.
type value struct {
	kind    valueKind
	pos     Pos // of the value
	key     Pos // of its key
	str     string
	num     int64
	flt     float64
	yes     bool
	items   []*value
	names   []string // keys in the order of the file
	members map[string]*value

	origin string // "${send}": an axis put it here
	headed bool   // a table with a header of its own
	sealed bool   // written as one value: nothing can be added
	broken bool   // a syntax fault cut it short
}

func newTable(pos Pos) *value {
	return &value{kind: isTable, pos: pos, key: pos, members: map[string]*value{}}
}

func (v *value) put(name string, m *value) {
	if v.members[name] == nil {
		v.names = append(v.names, name)
	}
	v.members[name] = m
}

// get returns a member, or nil; v may be nil.
func (v *value) get(names ...string) *value {
	for _, name := range names {
		if v == nil {
			return nil
		}
		v = v.members[name]
	}
	return v
}

func (v *value) list() []*value {
	if v == nil {
		return nil
	}
	return v.items
}

// plain is the value as Go has it: string, int64, float64, bool, []any or
// map[string]any.
func (v *value) plain() any {
	switch v.kind {
	case isInt:
		return v.num
	case isFloat:
		return v.flt
	case isBool:
		return v.yes
	case isArray:
		list := make([]any, len(v.items))
		for i, item := range v.items {
			list[i] = item.plain()
		}
		return list
	case isTable:
		return v.plainTable()
	}
	return v.str
}

func (v *value) plainTable() map[string]any {
	m := make(map[string]any, len(v.names))
	for _, name := range v.names {
		m[name] = v.members[name].plain()
	}
	return m
}

// json keeps the order of the file, so that equal files give equal bytes.
func (v *value) json() json.RawMessage {
	var b strings.Builder
	v.writeJSON(&b)
	return json.RawMessage(b.String())
}

func (v *value) writeJSON(b *strings.Builder) {
	switch v.kind {
	case isArray:
		sep := "["
		for _, item := range v.items {
			b.WriteString(sep)
			item.writeJSON(b)
			sep = ","
		}
		b.WriteString(closing(sep, "[", "]"))
	case isTable:
		sep := "{"
		for _, name := range v.names {
			b.WriteString(sep + jsonText(name) + ":")
			v.members[name].writeJSON(b)
			sep = ","
		}
		b.WriteString(closing(sep, "{", "}"))
	case isText:
		b.WriteString(jsonText(v.str))
	default:
		b.WriteString(axisText(v.plain()))
	}
}

// closing is what ends a list whose next separator would be sep.
func closing(sep, open, end string) string {
	if sep == open {
		return open + end
	}
	return end
}

func jsonText(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(b)
}

// axisText is a scalar as it reads in a text.
func axisText(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	}
	return ""
}

// clone copies a value, but not what it holds.
func (v *value) clone() *value {
	c := *v
	c.items = append([]*value(nil), v.items...)
	c.names = append([]string(nil), v.names...)
	if v.members != nil {
		c.members = make(map[string]*value, len(v.members))
		for name, m := range v.members {
			c.members[name] = m
		}
	}
	return &c
}
