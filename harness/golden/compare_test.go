package golden

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEqualGoldensHaveNoDifference(t *testing.T) {
	other := sampleFile()
	other.Version = "0.159.1"
	d := Compare(sampleFile(), other)
	require.True(t, d.Empty(), "versions are not compared")
	require.Empty(t, d.String())
}

func TestDifferenceExplainsItself(t *testing.T) {
	tests := []struct {
		name   string
		change func(*File)
		want   string
	}{
		{"another line", func(f *File) { f.Sections[0].Lanes[1].Lines[1] = "assistant: \x1b[31mthree" }, `
step 1: run "first turn", lane timeline main
    user: first turn
  - assistant: two\nlines
  + assistant: \x1b[31mthree
`},
		{"a new lane", func(f *File) {
			f.Sections[1].Lanes = []Lane{{"errors main", []string{"stream cut"}}}
		}, `
step 2: settle, lane errors main
  + stream cut
`},
		{"a lane that is gone", func(f *File) { f.Sections[0].Lanes = f.Sections[0].Lanes[1:] }, `
step 1: run "first turn", lane requests main
  - turn 1: user "first turn" -> reply 2
`},
		{"an inserted step", func(f *File) {
			f.Sections = []Section{f.Sections[0], {Title: "step 2: release"}, f.Sections[1]}
		}, `
the steps differ (-: the golden's)
    step 1: run "first turn"
  + step 2: release
    step 2: settle
`},
		{"a changed step", func(f *File) {
			f.Sections[0].Title = "step 1: other"
			f.Sections[1].Lanes = []Lane{{"errors main", []string{"follows from it"}}}
		}, `
the steps differ (-: the golden's)
  - step 1: run "first turn"
  + step 1: other
    step 2: settle
`},
		{"a missing step", func(f *File) { f.Sections = f.Sections[:1] }, `
the steps differ (-: the golden's)
    step 1: run "first turn"
  - step 2: settle
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := sampleFile()
			tt.change(&got)
			d := Compare(sampleFile(), got)
			require.False(t, d.Empty())
			require.Equal(t, strings.TrimPrefix(tt.want, "\n"), d.String())
		})
	}
}

func TestLongDifferencesAreCutShort(t *testing.T) {
	var want, got File
	for i := range 5 {
		title := fmt.Sprint("step ", i+1)
		want.Sections = append(want.Sections, Section{Title: title})
		got.Sections = append(got.Sections, Section{title, []Lane{{"turns main", make([]string, 40)}}})
	}
	d := Compare(want, got)
	require.Contains(t, d.String(), "  … 10 more lines\nstep 2, lane turns main\n")
	require.Contains(t, d.String(), "step 4, lane turns main differs too\nstep 5, lane turns main differs too\n")
	require.Equal(t, 5*40, strings.Count(d.Full(), `  + \e`))
}
