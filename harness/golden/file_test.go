package golden

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const sample = `golden 1 codex=0.171.0

== step 1: run "first turn"
requests main
  turn 1: user "first turn" -> reply 2
timeline main
  user: first turn
  assistant: two\nlines

== step 2: settle
`

func sampleFile() File {
	return File{Version: "0.171.0", Sections: []Section{
		{Title: `step 1: run "first turn"`, Lanes: []Lane{
			{Name: "requests main", Lines: []string{`turn 1: user "first turn" -> reply 2`}},
			{Name: "timeline main", Lines: []string{"user: first turn", "assistant: two\nlines"}},
		}},
		{Title: "step 2: settle"},
	}}
}

func TestFormatAndParse(t *testing.T) {
	require.Equal(t, sample, string(Format(sampleFile())))
	got, err := Parse([]byte(sample))
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(sampleFile(), got))
	require.NoError(t, Canonical([]byte(sample)))
}

func TestEmptyLanesAreLeftOut(t *testing.T) {
	f := sampleFile()
	f.Sections[1].Lanes = []Lane{{Name: "errors main"}}
	require.Equal(t, sample, string(Format(f)))
}

func TestParseFaults(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"empty", "", "line 1: a golden starts with"},
		{"another format", "golden 2 codex=1\n", "line 1: a golden starts with"},
		{"lane without a section", "golden 1 codex=1\nturns\n", `line 2: lane "turns" before the first section`},
		{"event without a section", "golden 1 codex=1\n  x\n", `line 2: event "x" before the first section`},
		{"event without a lane", "golden 1 codex=1\n== a\n  x\n", `line 3: event "x" before the first lane`},
		{"open escape", "golden 1 codex=1\n== a\nl\n  x\\\n", `line 4: \ at the end of the line`},
		{"unknown escape", "golden 1 codex=1\n== a\\q\n", `line 2: unknown escape "\\q"`},
		{"short escape", "golden 1 codex=1\n== a\\u12\n", `line 2: unknown escape`},
		{"bad digits", "golden 1 codex=1\n== a\\xzz\n", "is no hexadecimal number"},
		{"too big", "golden 1 codex=1\n" + strings.Repeat("\n", MaxBytes), "more than the"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.data))
			require.ErrorContains(t, err, tt.want)
			require.Error(t, Canonical([]byte(tt.data)))
		})
	}
}

func TestCanonicalNoticesAnotherForm(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"no newline at the end", strings.TrimSuffix(sample, "\n"), "line 10:"},
		{"blank line too many", strings.Replace(sample, "timeline", "\ntimeline", 1), "line 6:"},
		{"lane without events", sample + "errors main\n", "line 11:"},
		{"an escape that is not needed", strings.Replace(sample, "first", `\x66irst`, 1), "line 3:"},
		{"blank at the end of a line", strings.Replace(sample, "reply 2\n", "reply 2 \n", 1), "line 5:"},
		{"carriage returns", strings.ReplaceAll(sample, "\n", "\r\n"), "line 1:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.ErrorContains(t, Canonical([]byte(tt.data)), tt.want)
		})
	}
}

// What was done can hold any text: what Format writes must be read as the same.
func TestAnyTextSurvives(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", " ", "== x", "==", "  x", `\`, `\e`, "\xff", "a\r\n", "\u202e", "\U000e0041"}))
	lines := rapid.SliceOfN(text, 1, 4)
	lane := rapid.Custom(func(t *rapid.T) Lane { return Lane{Name: text.Draw(t, "name"), Lines: lines.Draw(t, "lines")} })
	rapid.Check(t, func(t *rapid.T) {
		f := File{Version: text.Draw(t, "version"), Sections: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Section {
			return Section{Title: text.Draw(t, "title"), Lanes: rapid.SliceOfN(lane, 1, 3).Draw(t, "lanes")}
		}), 1, 3).Draw(t, "sections")}
		data := Format(f)
		got, err := Parse(data)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(f, got))
		require.NoError(t, Canonical(data))
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("golden 1 codex=\\e\n== \\\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(data)
		if err != nil {
			return
		}
		require.NoError(t, Canonical(Format(file)))
	})
}
