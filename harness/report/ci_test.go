package report

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func junit(t *testing.T, run Run) string {
	var b strings.Builder
	require.NoError(t, WriteJUnit(&b, run))
	return b.String()
}

func TestJUnit(t *testing.T) {
	golden(t, "demo.xml", junit(t, runs()["demo"]))
	golden(t, "bad.xml", junit(t, runs()["bad"]))
}

// What a CI system reads back: written with types of its own, by the names
// that such systems know.
func TestJUnitIsReadBack(t *testing.T) {
	type outcome struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	var got struct {
		Tests, Failures, Errors, Skipped int
		Suites                           []struct {
			Name     string  `xml:"name,attr"`
			Tests    int     `xml:"tests,attr"`
			Failures int     `xml:"failures,attr"`
			Errors   int     `xml:"errors,attr"`
			Skipped  int     `xml:"skipped,attr"`
			Time     float64 `xml:"time,attr"`
			Cases    []struct {
				Name    string   `xml:"name,attr"`
				Class   string   `xml:"classname,attr"`
				Time    float64  `xml:"time,attr"`
				Failure *outcome `xml:"failure"`
				Error   *outcome `xml:"error"`
				Skipped *outcome `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	fixed := passed()
	fixed.Verdict, fixed.Known = UnexpectedPass, &Known{Issue: "a/b#1"}
	run := Run{Elapsed: 9 * time.Second, Results: []Result{
		passed(), replaced(KnownFailure), hostile(), replaced(Fail), fixed,
		{Scenario: "s", Verdict: Skip, Reason: "no codex\ntype something"}, {Scenario: "s", Verdict: Error, Reason: "died"}, {Scenario: "s"},
	}}
	require.NoError(t, xml.Unmarshal([]byte(junit(t, run)), &got))
	require.Len(t, got.Suites, 3)

	issue := got.Suites[0]
	require.Equal(t, []any{"compaction/issue-5728", 4, 2, 0, 1}, []any{issue.Name, issue.Tests, issue.Failures, issue.Errors, issue.Skipped})
	require.InDelta(t, 0.412+1.631+1.631+0.412, issue.Time, 1e-9)
	require.Equal(t, "send=steer", issue.Cases[0].Name)
	require.Equal(t, "compaction/issue-5728", issue.Cases[0].Class)
	require.InDelta(t, 0.412, issue.Cases[0].Time, 1e-9)
	require.Nil(t, issue.Cases[0].Failure)
	require.Equal(t, "known: getpaseo/paseo#5728", issue.Cases[1].Skipped.Message)
	require.Equal(t, "known_failure", issue.Cases[1].Skipped.Type)
	require.Equal(t, "compactions: wanted 1 started, 1 completed, 0 aborted, seen 3 started, 1 completed, 2 aborted; timeline", issue.Cases[2].Failure.Message)
	require.Contains(t, issue.Cases[2].Failure.Text, issueFile+":52: compactions")
	require.Equal(t, "does not fail any more as a/b#1 says", issue.Cases[3].Failure.Message)

	evil := got.Suites[1].Cases[0].Failure
	require.Equal(t, plainText(hostile()), evil.Text, "nothing is lost on the way")

	s := got.Suites[2]
	require.Equal(t, []int{3, 0, 2, 1}, []int{s.Tests, s.Failures, s.Errors, s.Skipped})
	require.Equal(t, "default", s.Cases[0].Name)
	require.Equal(t, "no codex", s.Cases[0].Skipped.Message)
	require.Equal(t, "died", s.Cases[1].Error.Message)
	require.NotNil(t, s.Cases[2].Error, "a verdict that nobody set is no pass")
}

func annotations(t *testing.T, run Run) string {
	var b strings.Builder
	for _, r := range run.Results {
		require.NoError(t, WriteAnnotations(&b, r))
	}
	return b.String()
}

func TestAnnotations(t *testing.T) {
	for _, name := range []string{"bad", "hostile"} {
		got := annotations(t, runs()[name])
		golden(t, name+".annotations.txt", got)
		// One command a line, whatever the texts hold, and no second inside it.
		for line := range strings.Lines(got) {
			require.Regexp(t, `^::error (file=[^:,]+,)?(line=\d+,)?title=[^:,]*::[^\r\n]*\n$`, line)
			require.Equal(t, strings.TrimSuffix(line, "\n"), Visible(strings.TrimSuffix(line, "\n")))
		}
	}
	require.Empty(t, annotations(t, runs()["demo"]), "a known failure is no error")
}

func summary(t *testing.T, run Run) string {
	var b strings.Builder
	require.NoError(t, WriteJobSummary(&b, run))
	return b.String()
}

func TestJobSummary(t *testing.T) {
	for name, run := range runs() {
		golden(t, name+".md", summary(t, run))
	}
	require.Contains(t, summary(t, runs()["hostile"]), "replay run &#39;&#92;x1b&#91;0m&#39;")
	// Of foreign text no character is left that HTML, Markdown or GitHub acts on.
	ours := regexp.MustCompile(`</?(details|summary|pre)>|&[a-z]+;|&#\d+;|(?m)^### |^\|.*\|$|^\|---.*$`)
	require.NotRegexp(t, "[<>&@`*\\[\\]#\\\\~]", ours.ReplaceAllString(summary(t, runs()["hostile"]), ""))
}

func TestJobSummaryFitsIntoOne(t *testing.T) {
	var run Run
	for i := range 1000 {
		r := hostile()
		r.Scenario = fmt.Sprint("x/", i)
		run.Results = append(run.Results, r)
	}
	got := summary(t, run)
	require.Less(t, len(got), 1<<20)
	require.Contains(t, got, "500 more rows are in the log.")
	require.Regexp(t, `\n\d+ more are in the log\.\n$`, got)
}
