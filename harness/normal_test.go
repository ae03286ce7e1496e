package harness

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNormalizer(t *testing.T) {
	const one, two = "01234567-89ab-cdef-0123-456789abcdef", "11234567-89ab-cdef-0123-456789abcdef"
	n := newNormalizer("/tmp/w/workspace", "${workspace}", "/tmp/w", "${work}", "", "nothing")
	for _, c := range []struct{ text, want string }{
		{"url: http://127.0.0.1:4711/v1", "url: http://127.0.0.1:PORT/v1"},
		{"/tmp/w/workspace/a /tmp/w/b", "${workspace}/a ${work}/b"},
		{two + " " + one + " " + two, "ID-1 ID-2 ID-1"},
		{"Wall time: 0.123 seconds", "Wall time: TIME seconds"},
		{"nothing to do", "nothing to do"},
		{"Codex app-server exited with signal killed\n12:00 WARN hm\n", "Codex app-server exited with signal killed"},
	} {
		require.Equal(t, c.want, n.text(c.text))
	}
}
