package report

import (
	"fmt"
	"io"
	"strings"
)

// WriteAnnotations writes GitHub's workflow commands for one result: an error
// at the scenario's line for each failure. They must go to one of the step's
// output streams, a line of their own each.
func WriteAnnotations(w io.Writer, r Result) error {
	if !r.Verdict.Bad() {
		return nil
	}
	failures := r.Failures
	if len(failures) == 0 {
		failures = []Failure{{File: r.File, What: string(r.Verdict), Detail: headline(r)}}
	}
	for _, f := range failures {
		if _, err := fmt.Fprintln(w, annotation(r, f)); err != nil {
			return err
		}
	}
	return nil
}

func annotation(r Result, f Failure) string {
	place := ""
	if f.File != "" {
		place = "file=" + property(f.File) + ","
		if f.Line > 0 {
			place += fmt.Sprintf("line=%d,", f.Line)
		}
	}
	title := strings.TrimSpace(r.Scenario + " " + r.Variant.String())
	return "::error " + place + "title=" + property(title) + "::" + message(plainFailure(f))
}

func plainFailure(f Failure) string {
	var b strings.Builder
	t := Text{W: &b, gap: true}
	t.failure(Failure{What: f.What, Want: f.Want, Got: f.Got, Detail: f.Detail})
	if f.Follows != "" {
		t.wrapped(indent, indent, "it may fail only because "+f.Follows+" failed, after which no step was played")
	}
	return strings.TrimSpace(b.String())
}

// The escapes of workflow commands. All but newlines are visible already.
var (
	messageEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func message(s string) string  { return messageEscapes.Replace(s) }
func property(s string) string { return propertyEscapes.Replace(Visible(s)) }

// maxSummary is what GitHub takes of a step's summary (1 MiB), less some room
// for the last line.
const maxSummary = 1<<20 - 4096

// WriteJobSummary writes a run as Markdown for GITHUB_STEP_SUMMARY: the counts,
// a table of what did not pass, and the text report of what is bad. Foreign text
// stands in it as HTML entities, so it is neither markup nor a mention.
func WriteJobSummary(w io.Writer, run Run) error {
	var b strings.Builder
	c := run.Counts()
	fmt.Fprintf(&b, "### %d passed, %d failed\n\n%s%s: %s\n", c.Pass, c.Bad(), plural(len(run.Results), "variant"), elapsed(run), c)
	if run.Interrupted {
		b.WriteString("\nInterrupted: these are the variants that were finished.\n")
	}
	summaryTable(&b, run.Results)
	left := 0
	for _, r := range run.Results {
		if !r.Verdict.Bad() {
			continue
		}
		one := summaryDetails(r)
		if b.Len()+len(one) > maxSummary {
			left++
			continue
		}
		b.WriteString(one)
	}
	if left > 0 {
		fmt.Fprintf(&b, "\n%d more are in the log.\n", left)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// maxSummaryRows bounds the table of a run in which everything fails.
const maxSummaryRows = 500

func summaryTable(b *strings.Builder, results []Result) {
	n := 0
	for _, r := range results {
		if r.Verdict == Pass {
			continue
		}
		if n++; n == 1 {
			b.WriteString("\n| verdict | scenario | variant | what | time |\n|---|---|---|---|---|\n")
		}
		if n > maxSummaryRows {
			continue
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", r.Verdict, markdown(r.Scenario), markdown(r.Variant.String()), markdown(cut(headline(r), 120)), seconds(r.Duration))
	}
	if n > maxSummaryRows {
		fmt.Fprintf(b, "\n%d more rows are in the log.\n", n-maxSummaryRows)
	}
}

func summaryDetails(r Result) string {
	title := strings.TrimSpace(r.Scenario + " " + r.Variant.String())
	return fmt.Sprintf("\n<details><summary>%s %s</summary>\n\n<pre>\n%s</pre>\n</details>\n", r.Verdict, markdown(title), preformatted(plainText(r)))
}

// preformatted keeps a text whole inside <pre>: a blank line would end the
// HTML block, and what follows would be Markdown.
func preformatted(text string) string {
	return strings.ReplaceAll(markup.Replace(text), "\n\n", "\n&#32;\n")
}

// markup has what HTML, Markdown or GitHub would act on.
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;",
	"@", "&#64;", "`", "&#96;", "|", "&#124;", "*", "&#42;", "_", "&#95;", "[", "&#91;", "]", "&#93;",
	"#", "&#35;", "~", "&#126;", `\`, "&#92;", "$", "&#36;", ":", "&#58;")

func markdown(text string) string { return markup.Replace(Visible(text)) }
