package plan

import (
	"fmt"
	"slices"
	"strings"
)

// unknownKey says that a table has no such key, and which was probably meant.
func unknownKey(name, table string, known []string) string {
	return unknown(fmt.Sprintf("%s has no key %q", table, name), name, known)
}

// unknown ends a complaint about a name with the cure.
func unknown(what, name string, known []string) string {
	if near := nearest(name, known); near != "" {
		return fmt.Sprintf("%s; did you mean %q?", what, near)
	}
	switch {
	case len(known) == 0:
		return what
	case len(known) > 12:
		return what + "; `replay help` lists them"
	}
	sorted := slices.Clone(known)
	slices.Sort(sorted)
	return what + "; there is " + strings.Join(sorted, ", ")
}

// nearest is the known name that a slip of the finger would turn into name, or
// else the only one that it is most of; "" when none is near.
func nearest(name string, known []string) string {
	if len(name) > 64 {
		return ""
	}
	if slip := slipped(name, known); slip != "" || len(name) < 4 {
		return slip
	}
	var cut []string
	for _, k := range known {
		if most := 3*len(name) >= 2*len(k); most && (strings.HasPrefix(k, name) || strings.HasSuffix(k, name)) {
			cut = append(cut, k)
		}
	}
	if len(cut) != 1 {
		return ""
	}
	return cut[0]
}

func slipped(name string, known []string) string {
	letters := len([]rune(name))
	best, least := "", max(letters/3, min(1, letters-1))+1
	for _, k := range known {
		if longer := len([]rune(k)) - letters; longer >= least || -longer >= least {
			continue // too far without looking, and it may be very long
		}
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the letters to insert, delete, change or swap.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before []int
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		next := make([]int, len(y)+1)
		next[0] = i + 1
		for j := range y {
			change := row[j]
			if x[i] != y[j] {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(y)]
}
