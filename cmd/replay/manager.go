package main

import (
	"fmt"
	"strings"

	"github.com/heldstream/heldstream/harness"
)

// ownManager is the manager that --manager names, nil for none.
func (f *flags) ownManager() (*harness.Manager, error) {
	if f.manager == "" {
		return nil, nil
	}
	words, err := shellWords(f.manager)
	if err == nil {
		var m *harness.Manager
		if m, err = harness.ManagerAt(words); err == nil {
			return m, nil
		}
	}
	return nil, fmt.Errorf("--manager %q: %w; write --manager \"PROGRAM ARGUMENT …\"", f.manager, err)
}

// shellWords splits a text at its blanks, but for those between quotes of either
// kind. Outside of quotes a backslash takes the next character as it is.
func shellWords(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	open, begun, escaped := rune(0), false, false
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, c := range text {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case open == 0 && c == '\\':
			begun, escaped = true, true
		case open != 0 && c == open:
			open = 0
		case open == 0 && (c == '\'' || c == '"'):
			open, begun = c, true
		case open == 0 && strings.ContainsRune(" \t\n", c):
			end()
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	end()
	if open != 0 {
		return nil, fmt.Errorf("the quote %c has no end", open)
	}
	return words, nil
}
