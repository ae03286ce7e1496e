// Package lazyre has regular expressions that are compiled when they are first
// used: to compile all that some command may need takes longer than to start.
package lazyre

import (
	"regexp"
	"sync"
)

// New returns what gives the expression. A faulty one panics, at its first
// use: each has a test that uses it.
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
