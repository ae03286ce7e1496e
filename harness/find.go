package harness

import (
	"errors"
	"fmt"

	"github.com/heldstream/heldstream/internal/codexbin"
)

// Finder returns a Runner's Find: the usual codex, or one of the store's where a
// scenario asks for another version.
func Finder(store *codexbin.Store, usual codexbin.Binary) func(version string) (Codex, error) {
	return func(version string) (Codex, error) {
		b := usual
		if version != "" && version != usual.Version {
			other, err := store.Find(version)
			var missing *codexbin.NotFound
			if errors.As(err, &missing) {
				return Codex{}, fmt.Errorf("needs codex %s: %s", version, missing.Command())
			}
			if err != nil {
				return Codex{}, err
			}
			b = other
		}
		return Codex{Mode: "live", Version: b.Version, Binary: b.Path}, nil
	}
}
