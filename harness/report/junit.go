package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// The elements of a JUnit report, as far as CI systems agree on them. They hold
// Visible text only: XML has no place for control characters, and a page that
// shows a report should not have to care.
type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitCounts
	Suites []*junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	File string `xml:"file,attr,omitempty"`
	junitCounts
	Cases []junitCase `xml:"testcase"`

	took time.Duration
}

type junitCounts struct {
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"` // seconds
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Time    string        `xml:"time,attr"`
	Failure *junitOutcome `xml:"failure"`
	Error   *junitOutcome `xml:"error"`
	Skipped *junitOutcome `xml:"skipped"`
}

type junitOutcome struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

// WriteJUnit writes a run as JUnit XML: a suite a scenario, a case a variant. A
// known failure is a skipped case of type known_failure, since it neither
// passed nor is anything to be done about it now.
func WriteJUnit(w io.Writer, run Run) error {
	all := junitSuites{Name: "replay"}
	byName := map[string]*junitSuite{}
	for _, r := range run.Results {
		s := byName[r.Scenario]
		if s == nil {
			s = &junitSuite{Name: Visible(r.Scenario), File: Visible(r.File)}
			byName[r.Scenario] = s
			all.Suites = append(all.Suites, s)
		}
		s.add(r)
		all.count(r.Verdict)
	}
	all.Time = junitTime(run.Elapsed)
	for _, s := range all.Suites {
		s.Time = junitTime(s.took)
	}
	data, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, data)
	return err
}

func (s *junitSuite) add(r Result) {
	s.count(r.Verdict)
	s.took += r.Duration
	c := junitCase{Name: Visible(variantName(r)), Class: s.Name, File: s.File, Time: junitTime(r.Duration)}
	outcome := &junitOutcome{Message: headline(r), Type: string(r.Verdict), Text: plainText(r)}
	switch r.Verdict {
	case Pass:
	case Fail, UnexpectedPass:
		c.Failure = outcome
	case Skip, KnownFailure:
		c.Skipped = outcome
	default:
		c.Error = outcome
	}
	s.Cases = append(s.Cases, c)
}

func (c *junitCounts) count(v Verdict) {
	c.Tests++
	switch v {
	case Pass:
	case Fail, UnexpectedPass:
		c.Failures++
	case Skip, KnownFailure:
		c.Skipped++
	default:
		c.Errors++
	}
}

func junitTime(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

func variantName(r Result) string {
	if len(r.Variant) == 0 {
		return "default"
	}
	return r.Variant.String()
}

// headline says in one line what became of a variant that did not pass.
func headline(r Result) string {
	switch {
	case r.Verdict == UnexpectedPass && r.Known != nil:
		return Visible("does not fail any more as " + r.Known.Issue + " says")
	case r.Verdict == KnownFailure && r.Known != nil:
		return Visible("known: " + r.Known.Issue)
	case r.Reason != "":
		first, _, _ := strings.Cut(r.Reason, "\n")
		return shorten(first)
	}
	var what []string
	for _, f := range r.Failures {
		what = append(what, f.headline())
	}
	return cut(strings.Join(what, "; "), maxRunes)
}

func (f Failure) headline() string {
	if f.Want == "" && f.Got == "" || isList(f.Want) || isList(f.Got) {
		return Visible(f.What)
	}
	return Visible(fmt.Sprintf("%s: wanted %s, seen %s", f.What, f.Want, f.Got))
}

// plainText is what Text says of one result.
func plainText(r Result) string {
	var b strings.Builder
	t := Text{W: &b}
	_ = t.Result(r) // a strings.Builder takes everything
	return b.String()
}
