package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShellWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
		err  string
	}{
		{text: ""},
		{text: " node  ./adapter.js\t--quiet ", want: []string{"node", "./adapter.js", "--quiet"}},
		{text: `node "my adapter.js" '--say="hi"'`, want: []string{"node", "my adapter.js", `--say="hi"`}},
		{text: `sh -c ''`, want: []string{"sh", "-c", ""}},
		{text: `'/home/o'\''neil/adapter'`, want: []string{"/home/o'neil/adapter"}},
		{text: `a"b c"d`, want: []string{"ab cd"}},
		{text: `node "adapter.js`, err: `the quote " has no end`},
	} {
		got, err := shellWords(c.text)
		if c.err != "" {
			require.EqualError(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, got, c.text)
	}
}
