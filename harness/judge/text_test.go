package judge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMatchText(t *testing.T) {
	for _, c := range []struct {
		want, text string
		match      bool
	}{
		{"all", "all", true},
		{"all", "all of it", false},
		{"*capacity*", "the model is at capacity\n\ncode: serverOverloaded", true},
		{"*capacity", "at capacity now", false},
		{"exit * of *", "exit 1 of 2", true},
		{"a*a", "a", false}, // the two may not share a letter
		{"2*2", "2*2", true},
	} {
		require.Equal(t, c.match, matchText(c.want, c.text), "%q, %q", c.want, c.text)
	}
}
