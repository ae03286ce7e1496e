package golden

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPath(t *testing.T) {
	steer := []Axis{{"send", "steer"}}
	tests := []struct {
		name, scenario string
		variant        []Axis
		version, want  string
	}{
		{"library", "scenarios/compaction/issue-5728.toml", steer, "", "golden/compaction/issue-5728.send=steer.golden"},
		{"absolute", "/home/me/scenarios/a/b.toml", steer, "", "/home/me/golden/a/b.send=steer.golden"},
		{"at the root", "/scenarios/b.toml", steer, "", "/golden/b.send=steer.golden"},
		{"nearest folder", "scenarios/x/scenarios/a/b.toml", steer, "", "scenarios/x/golden/a/b.send=steer.golden"},
		{"up and down", "../scenarios/./a/b.toml", steer, "", "../golden/a/b.send=steer.golden"},
		{"two axes", "scenarios/a/b.toml", []Axis{{"send", "steer"}, {"transport", "sse"}}, "", "golden/a/b.send=steer,transport=sse.golden"},
		{"no axes", "scenarios/a/b.toml", nil, "", "golden/a/b.golden"},
		{"other version", "scenarios/a/b.toml", steer, "0.159.1", "golden/a/b.send=steer@0.159.1.golden"},
		{"no axes, other version", "scenarios/a/b.toml", nil, "0.159.1", "golden/a/b@0.159.1.golden"},
		{"outside a library", "try/b.toml", steer, "", "try/b.golden/send=steer.golden"},
		{"outside, no axes", "b.toml", nil, "0.159.1", "b.golden/default@0.159.1.golden"},
		{"a file named scenarios is no folder", "try/scenarios", nil, "", "try/scenarios.golden/default.golden"},
		{"dots in the name", "scenarios/a/b.c.toml", nil, "", "golden/a/b.c.golden"},
		{"value that is a path", "scenarios/a/b.toml", []Axis{{"f", "../x,y=z @1"}}, "", "golden/a/b.f=..%2fx%2cy%3dz%20%401.golden"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, Path(tt.scenario, tt.variant, tt.version))
		})
	}
}
