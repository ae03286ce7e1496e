package mockprovider

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	if len(m) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}

// quote shows a text that a client or a script wrote, on one line, shortened.
func quote(s string) string { return strconv.Quote(shorten(s)) }

func shorten(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

func hasNames(s string) bool { return strings.Contains(s, "${") }

// expand resolves ${name} in a text. Names that nobody knows stay.
func expand(s string, resolve func(string) (string, bool)) string {
	if !hasNames(s) {
		return s
	}
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "${")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		value, known := resolve(name)
		if !closed || !known {
			out.WriteString("${")
			s = rest
			continue
		}
		out.WriteString(value)
		s = after
	}
}

// expandJSON does the same within a JSON document.
func expandJSON(doc []byte, resolve func(string) (string, bool)) []byte {
	return []byte(expand(string(doc), func(name string) (string, bool) {
		v, ok := resolve(name)
		q, _ := json.Marshal(v)
		return string(q[1 : len(q)-1]), ok
	}))
}
