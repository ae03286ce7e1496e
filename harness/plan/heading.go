package plan

import (
	"slices"
	"strings"
	"sync"
)

// heading is a table of a file: one, like [expect], or one of a list, like
// [[step]].
type heading struct {
	name string
	list bool
}

func (h heading) String() string {
	if h.list {
		return "[[" + h.name + "]]"
	}
	return "[" + h.name + "]"
}

// headings are the tables that a file can have, as its kind says.
var headings = sync.OnceValue(func() []heading {
	var list []heading
	for _, k := range topKind().keys {
		switch {
		case strings.HasPrefix(k.form, "table"):
			list = append(list, heading{k.name, false})
		case strings.HasPrefix(k.form, "list of tables"), strings.HasPrefix(k.form, "list of {"):
			list = append(list, heading{k.name, true})
		}
	}
	return list
})

// mendHeader reads a header as what was meant by it: one slip there would else
// make a fault of everything that the table has, and of all that speaks of it.
// It says whether the header is one of a list. It reports false where nothing
// can be made of it.
func (t *treeReader) mendHeader(root *value, names []string, list bool, pos Pos) (meantList, ok bool) {
	h, known := meant(names[0])
	if !known {
		return list, true
	}
	inside := len(names) > 1
	switch {
	case names[0] != h.name:
		t.faultf(pos, "a scenario has no %q; did you mean %s?", names[0], h)
		names[0] = h.name
	case inside && h.list && root.members[h.name] == nil:
		t.faultf(pos, "there is no %s above this [%s]; put it below the one that it belongs to", h, strings.Join(names, "."))
		return list, false
	case !inside && list && !h.list:
		t.faultf(pos, "there is only one %s; write it in single brackets", h)
	case !inside && !list && h.list:
		t.faultf(pos, "there can be several of these; write %s, in double brackets", h)
	}
	return inside && list || !inside && h.list, true
}

// meant is the table whose name this is, or is a slip of.
func meant(name string) (heading, bool) {
	all := headings()
	names := make([]string, len(all))
	for i, h := range all {
		names[i] = h.name
	}
	i := slices.Index(names, name)
	if i < 0 {
		i = slices.Index(names, nearest(name, names))
	}
	if i < 0 || name == "" || name[0] != names[i][0] { // [variants] is no slip of [invariants]
		return heading{}, false
	}
	return all[i], true
}
