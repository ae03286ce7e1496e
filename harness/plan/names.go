package plan

import (
	"slices"
	"strings"
)

// substitute returns the tree with the values of axes in place of their names.
// Names that only a run knows stay. Parts without names are shared.
func substitute(r *reader, root *value, v Variant) *value {
	s := substitution{r, v}
	out := root.clone()
	for _, name := range root.names {
		if name != "matrix" && name != "include" {
			out.members[name] = s.value(root.members[name])
		}
	}
	return out
}

type substitution struct {
	r       *reader
	variant Variant
}

func (s substitution) value(v *value) *value {
	switch v.kind {
	case isText:
		return s.text(v)
	case isArray:
		return s.list(v)
	case isTable:
		return s.table(v)
	}
	return v
}

func (s substitution) list(v *value) *value {
	out := v
	for i, item := range v.items {
		if got := s.value(item); got != item {
			if out == v {
				out = v.clone()
			}
			out.items[i] = got
		}
	}
	return out
}

func (s substitution) table(v *value) *value {
	out := v
	for _, name := range v.names {
		if got := s.value(v.members[name]); got != v.members[name] {
			if out == v {
				out = v.clone()
			}
			out.members[name] = got
		}
	}
	return out
}

func (s substitution) text(v *value) *value {
	if !strings.Contains(v.str, "${") {
		return v
	}
	var b strings.Builder
	c := *v
	rest, changed := v.str, false
	for {
		before, name, after, found := cutName(rest)
		b.WriteString(before)
		if !found {
			break
		}
		val, known := s.lookup(v, name)
		c.broken = c.broken || !known && !runTimeName(name)
		if known && before == "" && after == "" && len(rest) == len(v.str) {
			return typed(v, name, val)
		}
		if known {
			b.WriteString(axisText(val))
		} else {
			b.WriteString("${" + name + "}")
		}
		changed = changed || known
		rest = after
	}
	if !changed && !c.broken {
		return v
	}
	c.str = b.String()
	return &c
}

// cutName splits a text around the first ${name}.
func cutName(s string) (before, name, after string, found bool) {
	before, rest, open := strings.Cut(s, "${")
	if !open {
		return s, "", "", false
	}
	name, after, found = strings.Cut(rest, "}")
	if !found {
		return s, "", "", false
	}
	return before, name, after, true
}

func (s substitution) lookup(v *value, name string) (any, bool) {
	for _, a := range s.variant {
		if a.Name == name {
			s.r.axes.used[name] = true
			return a.Value, true
		}
	}
	if !runTimeName(name) && !s.r.axes.torn {
		s.r.fault(v, "%s", noName(name, s.r.axes.names()))
	}
	return nil, false
}

// noName says that a ${name} is none. What stands in a name that only a run
// knows is the author's own, so the name is held against those with that in it.
func noName(name string, axes []string) string {
	known := append(slices.Clone(axes), "n", "workspace")
	middle := "NAME"
	if parts := strings.Split(name, "."); len(parts) > 1 && parts[1] != "" {
		middle = parts[1]
	}
	for _, what := range agentFacts() {
		known = append(known, "agent."+middle+"."+what)
	}
	known = append(known, "hold."+middle)
	what := "there is no name ${" + name + "}"
	if near := nearest(name, known); near != "" {
		return what + "; did you mean ${" + near + "}?"
	}
	slices.Sort(known)
	return what + "; there is ${" + strings.Join(known, "}, ${") + "}"
}

func agentFacts() []string { return []string{"id", "thread", "turn"} }

// typed is the value of an axis at the place of its name.
func typed(v *value, name string, val any) *value {
	out := &value{pos: v.pos, key: v.key, origin: "${" + name + "}"}
	switch val := val.(type) {
	case int64:
		out.kind, out.num = isInt, val
	case float64:
		out.kind, out.flt = isFloat, val
	case bool:
		out.kind, out.yes = isBool, val
	case string:
		out.kind, out.str = isText, val
	}
	return out
}

// runTimeName says that only a run knows the name.
func runTimeName(name string) bool {
	head, tail, dotted := strings.Cut(name, ".")
	switch head {
	case "n", "workspace":
		return !dotted
	case "hold":
		return tail != ""
	case "agent":
		agent, what, ok := strings.Cut(tail, ".")
		return ok && agent != "" && slices.Contains(agentFacts(), what)
	}
	return false
}
