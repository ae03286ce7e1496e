package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Text writes results for people: one line for a variant that passed, and for
// the others all that is needed to understand them. The zero Width is 80.
// Calls must not overlap.
type Text struct {
	W     io.Writer
	Width int  // columns
	Color bool // see UseColor
	// Figures writes of every variant what it came to.
	Figures bool

	err error // the first of W's errors; what comes later is dropped
	gap bool  // the last line is blank
}

const indent = "    "

// Result writes one result.
func (t *Text) Result(r Result) error {
	t.verdict(r)
	if r.Reason != "" {
		t.lines(indent, r.Reason, maxLines)
	}
	t.known(r)
	for _, n := range r.Notes {
		t.wrapped(indent+"note: ", indent+"      ", n)
	}
	t.failures(r)
	failed := len(r.Failures) > 0 || r.Verdict.Bad()
	if t.Figures && r.Verdict != Skip {
		t.figures(r)
	}
	if failed || t.Figures {
		t.timeline(r.rows())
	}
	if failed {
		t.command(r.command())
	}
	if failed || t.Figures {
		t.blank()
	}
	return t.err
}

// failures writes those that follow from a failed step under a line of their own.
func (t *Text) failures(r Result) {
	own := slices.IndexFunc(r.Failures, func(f Failure) bool { return f.Follows != "" })
	if own < 0 {
		own = len(r.Failures)
	}
	for _, f := range r.Failures[:own] {
		t.failure(f)
	}
	if said := r.NotPlayed; said != "" {
		if own < len(r.Failures) {
			said += "; what follows may fail for that alone:"
		}
		t.blank()
		t.styled(bold, indent, indent, said)
	}
	for _, f := range r.Failures[own:] {
		t.failure(f)
	}
}

// command is never wrapped: it is there to be copied.
func (t *Text) command(command string) {
	if command == "" {
		return
	}
	t.blank()
	t.raw(indent + "play only this:")
	t.raw(inert(indent + indent + command))
}

// verdictWidth is the width of the longest verdict and two blanks.
const verdictWidth = len(UnexpectedPass) + 2

// verdict writes the line that every variant has: verdict, name, what must be
// said of the run, and at the right edge the time.
func (t *Text) verdict(r Result) {
	said := strings.TrimSpace(r.Scenario + " " + r.Variant.String())
	if aside := asides(r); aside != "" {
		said += " (" + aside + ")"
	}
	took := seconds(r.Duration)
	room := t.width() - verdictWidth
	pieces := wrap(Visible(said), room-2-len(took))
	for i, piece := range pieces {
		start := strings.Repeat(" ", verdictWidth)
		if i == 0 {
			start = fmt.Sprintf("%-*s", verdictWidth, r.Verdict)
			start = t.paint(verdictColor(r.Verdict), start)
		}
		if i == len(pieces)-1 {
			piece = pad(piece, room-len(took)) + took
		}
		t.raw(start + inert(piece))
	}
}

// asides says what a reader of a verdict must know to trust it.
func asides(r Result) string {
	var said []string
	switch r.Golden {
	case GoldenMissing:
		said = append(said, "no golden")
	case GoldenOtherVersion:
		said = append(said, "golden of another codex version not compared")
	}
	if r.Spoilt > 0 {
		said = append(said, fmt.Sprintf("spoilt by codex and played again: %d", r.Spoilt))
	}
	return strings.Join(said, ", ")
}

func (t *Text) known(r Result) {
	if r.Known == nil {
		return
	}
	fails := strings.Join(r.Known.Fails, ", ")
	switch r.Verdict {
	case KnownFailure:
		t.wrapped(indent, indent, "known: "+r.Known.Issue)
	case UnexpectedPass:
		t.wrapped(indent, indent, fmt.Sprintf("%s should make these fail, and does not any more: %s; take its known_failure block out", r.Known.Issue, fails))
	default:
		t.wrapped(indent, indent, fmt.Sprintf("known_failure %s: exactly these should fail: %s", r.Known.Issue, fails))
	}
}

// failure writes one thing that is not as it must be.
func (t *Text) failure(f Failure) {
	t.blank()
	where := f.What
	if f.File != "" {
		where = f.File + ": " + where
	}
	if f.File != "" && f.Line > 0 {
		where = fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.What)
	}
	t.styled(bold, indent, indent, where)
	t.wantGot(f.Want, f.Got)
	if f.Detail != "" {
		t.lines(indent+indent, f.Detail, maxLines)
	}
}

func (t *Text) wantGot(want, got string) {
	if want == "" && got == "" {
		return
	}
	if isList(want) || isList(got) {
		t.lists(entries(want), entries(got))
		return
	}
	want, got = fromDifference(Visible(want), Visible(got))
	t.wrapped(indent+indent+"wanted  ", indent+indent+"        ", cut(want, maxRunes))
	t.wrapped(indent+indent+"seen    ", indent+indent+"        ", cut(got, maxRunes))
}

// End writes what became of the run as a whole. Its last line has the counts
// in a form that CI systems look for.
func (t *Text) End(run Run) error {
	c := run.Counts()
	t.blank()
	t.wrapped("", "", fmt.Sprintf("%s%s%s: %s", plural(len(run.Results), "variant"), elapsed(run), codexes(run), c))
	if c.Spoilt > 0 {
		t.wrapped("", "", fmt.Sprintf("spoilt by codex and played again: %d", c.Spoilt))
	}
	if run.Interrupted {
		t.wrapped("", "", "interrupted: these are the variants that were finished")
	}
	t.raw(fmt.Sprintf("%d passed, %d failed", c.Pass, c.Bad()))
	if n := len(run.Results); n > 0 && c.Skip == n {
		t.nothingPlayed(run.Results)
	}
	return t.err
}

// nothingPlayed: a run of nothing but skips must not pass for a good one.
func (t *Text) nothingPlayed(results []Result) {
	said := "NOTHING WAS PLAYED: " + plural(len(results), "variant") + " skipped, each for the reason above"
	for _, r := range results {
		if command := cureIn(r.Reason); command != "" {
			t.styled(yellow, "", "", said+"; what the first one lacks comes with")
			t.raw(inert(indent + Visible(command)))
			return
		}
	}
	t.styled(yellow, "", "", said)
}

// cureIn is the first command of ours that a reason names.
func cureIn(reason string) string {
	_, rest, _ := strings.Cut(reason, "`replay ")
	command, _, ok := strings.Cut(rest, "`")
	if !ok {
		return ""
	}
	return "replay " + command
}

// String lists the counts that are not zero, by verdict.
func (c Counts) String() string {
	var parts []string
	for _, p := range []struct {
		n int
		v Verdict
	}{{c.Pass, Pass}, {c.KnownFailure, KnownFailure}, {c.Fail, Fail}, {c.UnexpectedPass, UnexpectedPass}, {c.Error, Error}, {c.Skip, Skip}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.v))
		}
	}
	if len(parts) == 0 {
		return "nothing was played"
	}
	return strings.Join(parts, ", ")
}

func elapsed(run Run) string {
	if run.Elapsed == 0 {
		return ""
	}
	return " in " + seconds(run.Elapsed)
}

// codexes names the codex that everything was played with; several are in the
// commands and the JSON lines.
func codexes(run Run) string {
	seen := map[Codex]bool{}
	var one Codex
	for _, r := range run.Results {
		if r.Codex != (Codex{}) {
			seen[r.Codex], one = true, r.Codex
		}
	}
	switch len(seen) {
	case 0:
		return ""
	case 1:
		return ", " + strings.Join(strings.Fields("codex "+one.Version+" "+one.Mode), " ")
	}
	return fmt.Sprintf(", %d codexes", len(seen))
}

// Counted is a number of things: 1 variant, 2 variants.
func Counted(n int, what string) string { return plural(n, what) }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func seconds(d time.Duration) string {
	switch {
	case d == 0: // not played
		return ""
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
