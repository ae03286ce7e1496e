package html_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/report"
	"github.com/heldstream/heldstream/harness/report/html"
)

func ExampleWrite() {
	log := eventlog.New()
	log.Append("", eventlog.StepBegan{Index: 1, Title: "run hello"})
	log.Append("main", eventlog.SendBegan{Send: 1, Text: "hello"})

	var page strings.Builder
	err := html.Write(&page, html.Report{
		Elapsed: 20 * time.Millisecond,
		Variants: []html.Variant{{
			Result: report.Result{Scenario: "first/hello", Verdict: report.Pass},
			Events: log.Events(),
		}},
	})
	fmt.Println(err, strings.HasPrefix(page.String(), "<!doctype html>"))
	// Output: <nil> true
}
