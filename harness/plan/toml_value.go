package plan

import (
	"math"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

func (t *treeReader) value(n *unstable.Node, pos Pos) *value {
	v := &value{pos: pos}
	text := string(n.Data)
	switch n.Kind {
	case unstable.String:
		v.kind, v.str = isText, text
	case unstable.Bool:
		v.kind, v.yes = isBool, text == "true"
	case unstable.Integer:
		v.kind = isInt
		v.num = t.integer(text, pos)
	case unstable.Float:
		v.kind = isFloat
		v.flt = t.float(text, pos)
	case unstable.Array:
		v.kind, v.sealed = isArray, true
		for it := n.Children(); it.Next(); {
			v.items = append(v.items, t.value(it.Node(), t.elementStart(it.Node(), pos)))
		}
	case unstable.InlineTable:
		v.kind, v.members, v.sealed = isTable, map[string]*value{}, true
		for it := n.Children(); it.Next(); {
			t.keyValue(v, it.Node())
		}
	default:
		v.kind, v.str = isText, text
		t.faultf(pos, "dates have no use here; write it as a text in quotes")
	}
	return v
}

// elementStart is the place of an element, or of its list where the parser
// keeps none.
func (t *treeReader) elementStart(n *unstable.Node, list Pos) Pos {
	if n.Raw.Length == 0 {
		return list
	}
	return t.at(n)
}

func (t *treeReader) integer(text string, pos Pos) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+"), 0, 64)
	if err != nil && strings.TrimLeft(text, "+-0123456789_") == "" {
		n, err = strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	}
	if err != nil {
		t.faultf(pos, "%s is no whole number that fits 64 bits; write a smaller one", text)
	}
	return n
}

func (t *treeReader) float(text string, pos Pos) float64 {
	f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		t.faultf(pos, "%s is no number that JSON knows; write a finite one", text)
		return 0
	}
	return f
}
