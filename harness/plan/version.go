package plan

import (
	"cmp"
	"strconv"
	"strings"
)

// VersionRange selects codex versions: "0.171.0", "<= 0.159.1" or several
// with commas, of which all must hold. "" selects all.
type VersionRange string

// Matches says whether the range selects a version. The version "" counts as
// newer than any that is named.
func (r VersionRange) Matches(version string) bool {
	for _, part := range r.parts() {
		op, want := splitOperator(part)
		if !holds(op, compareVersions(version, want)) {
			return false
		}
	}
	return true
}

func (r VersionRange) parts() []string {
	if strings.TrimSpace(string(r)) == "" {
		return nil
	}
	return strings.Split(string(r), ",")
}

// fault says what is wrong with the range; "" is nothing.
func (r VersionRange) fault() string {
	for _, part := range r.parts() {
		if _, want := splitOperator(part); !isVersion(want) {
			return strconv.Quote(strings.TrimSpace(part)) + ` is no version; write "0.171.0", "<= 0.159.1" or ">= 0.130.0, < 0.171.0"`
		}
	}
	return ""
}

func splitOperator(part string) (op, version string) {
	part = strings.TrimSpace(part)
	version = strings.TrimLeft(part, "<>=!")
	return part[:len(part)-len(version)], strings.TrimSpace(version)
}

func holds(op string, c int) bool {
	switch op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	case ">=":
		return c >= 0
	case "!=":
		return c != 0
	}
	return c == 0
}

func isVersion(s string) bool {
	core, _, _ := strings.Cut(s, "-")
	numbers := strings.Split(core, ".")
	for _, n := range numbers {
		if _, err := strconv.ParseUint(n, 10, 32); err != nil {
			return false
		}
	}
	return len(numbers) == 3
}

// compareVersions orders versions by their numbers; one with a suffix
// (0.171.0-alpha.1) comes before the plain one.
func compareVersions(a, b string) int {
	if a == "" || b == "" {
		return cmp.Compare(len(b), len(a)) // nothing known is newer than all
	}
	coreA, preA, _ := strings.Cut(a, "-")
	coreB, preB, _ := strings.Cut(b, "-")
	na, nb := strings.Split(coreA, "."), strings.Split(coreB, ".")
	for i := range min(len(na), len(nb)) {
		x, _ := strconv.Atoi(na[i])
		y, _ := strconv.Atoi(nb[i])
		if x != y {
			return cmp.Compare(x, y)
		}
	}
	if preA == "" || preB == "" {
		return cmp.Compare(len(preB), len(preA))
	}
	return cmp.Compare(preA, preB)
}
