package report

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	for name, run := range runs() {
		t.Run(name, func(t *testing.T) {
			got := text(t, run, false)
			golden(t, name+".txt", got)
			for line := range strings.Lines(got) {
				if strings.HasPrefix(line, "        replay run ") {
					continue // to be copied, so never wrapped
				}
				require.LessOrEqual(t, runes(strings.TrimSuffix(line, "\n")), 80, line)
			}
		})
	}
}

func TestFigures(t *testing.T) {
	r := passed()
	r.Sends, r.Turns, r.Lifecycle = []string{"started", "started", "steered", "steered"}, []string{"completed", "completed"}, []string{"running", "idle", "running", "idle"}
	r.Calls = map[string]int{"turn/steer": 2, "turn/start": 2, "initialize": 1}
	r.Requests = map[string]int{"turn": 3, "compaction": 1}
	r.Delivered = []string{"first turn", "second turn", "update from agent A", "update from agent B"}
	r.Timeline = replaced(Fail).Timeline[:2]
	var b strings.Builder
	w := Text{W: &b, Figures: true}
	require.NoError(t, w.Result(r))
	require.NoError(t, w.Result(Result{Scenario: "x/skipped", Verdict: Skip, Reason: "no binary"}))
	golden(t, "figures.txt", b.String())
}

func TestColorChangesNothingElse(t *testing.T) {
	escapes := regexp.MustCompile("\x1b\\[[0-9]*m")
	for name, run := range runs() {
		colored := text(t, run, true)
		require.Equal(t, text(t, run, false), escapes.ReplaceAllString(colored, ""), name)
	}
	require.Contains(t, text(t, runs()["demo"], true), "\x1b[32mpass")
}

func TestUseColor(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer f.Close()
	require.False(t, UseColor(f), "a file is no terminal")
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminal to open: ", err)
	}
	defer tty.Close()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	require.True(t, UseColor(tty))
	t.Setenv("NO_COLOR", "1")
	require.False(t, UseColor(tty))
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	require.False(t, UseColor(tty))
}

// commands are what CI systems obey: GitHub at a line's start and anywhere,
// Azure anywhere.
var commands = regexp.MustCompile(`(?m)^\s*::|##\[|##[A-Za-z]+\[`)

// Whatever stands in a result, the report has no byte that acts.
func TestAnyTextIsShownNotObeyed(t *testing.T) {
	piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"::", "##[", "##x[", "#", "[", "\x1b[", "\n", " ", "\u202e", "\xff", strings.Repeat("long ", 30)}))
	foreign := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces"), "") })
	rapid.Check(t, func(t *rapid.T) {
		s := func() string { return foreign.Draw(t, "text") }
		r := Result{
			Scenario: s(), Variant: Variant{{s(), s()}}, Verdict: Fail, Reason: s(), Notes: []string{s()}, Command: s(),
			Failures: []Failure{{s(), 1, s(), s(), s(), s(), s()}}, NotPlayed: s(), Known: &Known{s(), []string{s()}},
			Timeline: []Row{{s(), s(), s()}, {s(), s(), s()}},
			Sends:    []string{s()}, Turns: []string{s()}, Lifecycle: []string{s()}, Calls: map[string]int{s(): 1}, Delivered: []string{s()}, Lost: []string{s()},
		}
		var b strings.Builder
		w := Text{W: &b, Figures: true}
		require.NoError(t, w.Result(r))
		require.Equal(t, inertLines(b.String()), b.String())
		require.Empty(t, commands.FindString(b.String()))
	})
}

func inertLines(s string) string {
	all := strings.Split(s, "\n")
	for i := range all {
		all[i] = Visible(all[i])
	}
	return strings.Join(all, "\n")
}

func TestVisible(t *testing.T) {
	tests := []struct{ text, want string }{
		{"plain é 漢 🙂", "plain é 漢 🙂"},
		{"a\nb\tc", `a\nb\tc`},
		{"\x1b[31m\x7f\x00", `\x1b[31m\x7f\x00`},
		{"\u009b \u202e \u2066 \u200b \ufeff \u2028", `\u009b \u202e \u2066 \u200b \ufeff \u2028`},
		{"\U000e0041", `\U000e0041`},
		{"\xff\xc3", `\xff\xc3`},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, Visible(tt.text))
		require.Equal(t, tt.want, Visible(Visible(tt.text)))
	}
}

func TestLongTextsStartWhereTheyDiffer(t *testing.T) {
	same := strings.Repeat("x", 100)
	a, b := fromDifference(same+"one", same+"two")
	require.Equal(t, "(70 equal) …"+same[:30]+"one", a)
	require.Equal(t, "(70 equal) …"+same[:30]+"two", b)
	a, b = fromDifference(same[:50]+"one", same[:50])
	require.Equal(t, same[:50]+"one", a, "short enough to be shown")
	require.Equal(t, same[:50], b)
}

func TestWrap(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"fits in twenty runes", []string{"fits in twenty runes"}},
		{"a blank behind the last one", []string{"a blank behind the", "last one"}},
		{"12345678901234567890 x", []string{"12345678901234567890", "x"}},
		{"1234567890123456789012345", []string{"12345678901234567890", "12345"}},
		{"ééééééééééééééééééééé", []string{"éééééééééééééééééééé", "é"}},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, wrap(tt.text, 20))
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestAWriterThatFailsIsReported(t *testing.T) {
	w := Text{W: full{}}
	require.EqualError(t, w.Result(passed()), "disk full")
	require.EqualError(t, w.End(Run{}), "disk full")
}
