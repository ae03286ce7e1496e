package harness

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/harness/golden"
)

// libraryFolder is the folder that a library of scenarios is in; its goldens are
// beside it.
const libraryFolder = "scenarios"

// place is a scenario's path from which its library can be told: the whole path
// where the file is named from within the library.
func place(file string) string {
	if libraried(file) {
		return filepath.ToSlash(file)
	}
	if abs, err := filepath.Abs(file); err == nil && libraried(abs) {
		return filepath.ToSlash(abs)
	}
	return filepath.ToSlash(file)
}

func libraried(file string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(filepath.Dir(file)), "/"), libraryFolder)
}

// inLibrary reports whether a scenario stands below a folder named scenarios,
// where each must have its golden.
func inLibrary(file string) bool { return libraried(place(file)) }

// goldenPath is where a golden is, seen from where the scenario was named.
func goldenPath(file string, axes []golden.Axis, version string) string {
	at := filepath.FromSlash(golden.Path(place(file), axes, version))
	if filepath.IsAbs(file) || !filepath.IsAbs(at) {
		return at
	}
	here, err := os.Getwd()
	if err != nil {
		return at
	}
	if rel, err := filepath.Rel(here, at); err == nil {
		return rel
	}
	return at
}

// ScenarioName is a file's path below the nearest folder named scenarios,
// without its ending.
func ScenarioName(file string) string {
	name := strings.TrimSuffix(strings.ReplaceAll(place(file), `\`, "/"), ".toml")
	parts := strings.Split(name, "/")
	for i := len(parts) - 2; i >= 0; i-- {
		if parts[i] == libraryFolder {
			return strings.Join(parts[i+1:], "/")
		}
	}
	return parts[len(parts)-1]
}
