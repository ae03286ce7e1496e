package golden

import (
	"fmt"
	"path"
	"strings"
)

// Axis is one axis of a variant with its value.
type Axis struct {
	Name, Value string
}

// Path gives the golden's place for one variant of a scenario. For
// scenarios/A/B.toml that is golden/A/B.KEY=VALUE,….golden next to the nearest
// folder named scenarios above the file; for a file outside of one B.golden/
// beside it, with KEY=VALUE,….golden in it. A scenario without axes has
// B.golden, outside of a library B.golden/default.golden.
//
// A version is given for goldens of other codex versions than the usual one:
// it is put behind the variant as @VERSION. Paths have forward slashes.
func Path(scenario string, variant []Axis, version string) string {
	name := variantName(variant)
	if version != "" {
		version = "@" + fileName(version)
	}
	folder, inside, ok := library(path.Clean(scenario))
	if !ok {
		if name == "" {
			name = "default"
		}
		return stem(scenario) + ".golden/" + name + version + ".golden"
	}
	base := path.Join(folder, "golden", stem(inside))
	if name != "" {
		base += "." + name
	}
	return base + version + ".golden"
}

// library splits a scenario's path at the nearest folder named scenarios.
func library(scenario string) (above, inside string, ok bool) {
	parts := strings.Split(scenario, "/")
	for i := len(parts) - 2; i >= 0; i-- {
		if parts[i] == "scenarios" {
			above := strings.Join(parts[:i], "/")
			if above == "" && strings.HasPrefix(scenario, "/") {
				above = "/"
			}
			return above, strings.Join(parts[i+1:], "/"), true
		}
	}
	return "", "", false
}

func stem(scenario string) string { return strings.TrimSuffix(scenario, path.Ext(scenario)) }

func variantName(variant []Axis) string {
	var parts []string
	for _, a := range variant {
		parts = append(parts, fileName(a.Name)+"="+fileName(a.Value))
	}
	return strings.Join(parts, ",")
}

// fileName writes what a file name cannot hold, or what separates the parts of
// ours, as %NN, so that two variants never share a golden.
func fileName(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_+.", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}
