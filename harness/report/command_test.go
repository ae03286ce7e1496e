package report

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommand(t *testing.T) {
	r := Result{File: "scenarios/a b.toml", Variant: Variant{{"send", "steer"}, {"text", "it's $HOME"}}, Codex: Codex{"live", "0.171.0"}}
	require.Equal(t, `replay run 'scenarios/a b.toml' --set send=steer --set 'text=it'\''s $HOME' --codex live@0.171.0`, r.command())
	words, err := exec.Command("sh", "-c", `printf '%s\n' `+r.command()).Output()
	require.NoError(t, err)
	require.Equal(t, "replay\nrun\nscenarios/a b.toml\n--set\nsend=steer\n--set\ntext=it's $HOME\n--codex\nlive@0.171.0\n", string(words))

	r.Variant = Variant{{"codex", "0.159.1"}}
	require.Equal(t, "replay run 'scenarios/a b.toml' --set codex=0.159.1", r.command(), "the axis says which codex")
	r.Command = "mine"
	require.Equal(t, "mine", r.command())
	require.Empty(t, Result{Scenario: "x"}.command())
}

func TestTheMomentIsMarked(t *testing.T) {
	tests := []struct {
		name, want, got string
		at              int // -1: nothing is marked
	}{
		{"another row", "a\nx\nc", "a\nb\nc", 1},
		{"a row too many", "a\nc", "a\nb\nc", 1},
		{"rows missing at the end", "a\nb\nc\nd", "a\nb\nc", 2},
		{"nothing wanted", "", "a\nb\nc", 0},
		{"another list", "a", "a\nb\nd", -1},
		{"no list", "1", "2", -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Result{
				Timeline: []Row{{Text: "a"}, {Text: "b"}, {Text: "c"}},
				Failures: []Failure{{What: "compactions", Want: "1", Got: "2"}, {What: "timeline", Want: tt.want, Got: tt.got}},
			}
			at := -1
			for i, row := range r.rows() {
				if row.Mark != "" {
					require.Equal(t, "timeline", row.Mark)
					at = i
				}
				require.Empty(t, r.Timeline[i].Mark, "the result itself is left alone")
			}
			require.Equal(t, tt.at, at)
		})
	}
	r := Result{
		Timeline: []Row{{Text: "a"}, {Text: "b", Mark: "step.2"}},
		Failures: []Failure{{What: "timeline", Want: "x", Got: "a\nb"}},
	}
	require.Equal(t, r.Timeline, r.rows(), "the runner knows better")
}
