package harness

import (
	"fmt"
	"io"
	"strings"

	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

// Show prints a variant as it is understood: what it is about, its replies, its
// steps and what it expects.
func Show(w io.Writer, p *plan.Plan) {
	fmt.Fprintln(w, report.Visible(strings.TrimSpace(ScenarioName(p.File)+" "+p.Variant.String())))
	if p.About != "" {
		fmt.Fprintln(w, "  "+report.Visible(p.About))
	}
	for i, r := range p.Script.Replies {
		fmt.Fprintf(w, "  reply %d to %s: %s\n", i+1, r.To, report.Visible(strings.Join(r.Say, "")))
	}
	for _, s := range p.Steps {
		fmt.Fprintf(w, "  step %d: %s\n", s.Index, report.Visible(title(s)))
	}
	for _, x := range p.Expect {
		fmt.Fprintf(w, "  expect %s\n", x.Name())
	}
	for _, k := range p.Known {
		fmt.Fprintf(w, "  known failure %s: %s\n", report.Visible(k.Issue), report.Visible(strings.Join(k.Fails, ", ")))
	}
}

// GoldenFile is where the golden of a variant is.
func GoldenFile(p *plan.Plan) string { return goldenFile(p, "") }
