package harness

import (
	"slices"
	"strings"

	"github.com/heldstream/heldstream/harness/report"
)

// mark marks the row of the timeline where the first failure shows that one can
// be found for. The timeline's own failure is left to the reports: they have
// the wanted rows and the seen ones.
func mark(res *report.Result, failed *stepError, rowsOf func(agent string) int) {
	if slices.ContainsFunc(res.Failures, func(f report.Failure) bool { return f.What == "timeline" && f.Follows == "" }) {
		return
	}
	for _, f := range res.Failures {
		at := -1
		switch {
		case strings.HasPrefix(f.What, "step."):
			if failed != nil && f.Got == failed.Error() {
				at = rowsOf(failed.step.Agent) - 1 // the last one that stood there then
			}
		case f.What == "compactions":
			at = wrongCompaction(res.Timeline)
		case f.What == "delivered", f.What == "lost":
			at = rowOfText(res.Timeline, f)
		case f.What == "errors":
			at = rowOf(res.Timeline, "error")
		}
		if at >= 0 && at < len(res.Timeline) {
			res.Timeline[at].Mark = f.What
			return
		}
	}
}

// wrongCompaction is the first row of a compaction that was aborted, else the
// last compaction's.
func wrongCompaction(rows []report.Row) int {
	at := -1
	for i, row := range rows {
		switch {
		case row.Text == "compaction: aborted":
			return i
		case strings.HasPrefix(row.Text, "compaction: "):
			at = i
		}
	}
	return at
}

// rowOfText is the user row of the first text that only one of the lists has.
func rowOfText(rows []report.Row, f report.Failure) int {
	want, got := strings.Split(f.Want, "\n"), strings.Split(f.Got, "\n")
	for _, text := range slices.Concat(want, got) {
		if slices.Contains(want, text) && slices.Contains(got, text) {
			continue
		}
		if at := slices.IndexFunc(rows, func(r report.Row) bool { return isUserRow(r.Text, text) }); at >= 0 {
			return at
		}
	}
	return -1
}

// isUserRow also takes a row with a note, such as user (undelivered): text.
func isUserRow(row, text string) bool {
	kind, ok := strings.CutSuffix(strings.ReplaceAll(row, "\n", `\n`), ": "+text) // as lists have it
	return ok && (kind == "user" || strings.HasPrefix(kind, "user ("))
}

func rowOf(rows []report.Row, kind string) int {
	return slices.IndexFunc(rows, func(r report.Row) bool { return strings.HasPrefix(r.Text, kind+": ") })
}
