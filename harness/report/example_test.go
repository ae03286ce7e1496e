package report_test

import (
	"os"
	"time"

	"github.com/heldstream/heldstream/harness/report"
)

func Example() {
	run := report.Run{Elapsed: 900 * time.Millisecond, Results: []report.Result{
		{Scenario: "steer/twice", Variant: report.Variant{{Name: "send", Value: "steer"}}, Verdict: report.Pass, Duration: 412 * time.Millisecond},
		{Scenario: "steer/twice", Variant: report.Variant{{Name: "send", Value: "replace"}}, Verdict: report.Fail, Duration: 480 * time.Millisecond,
			File: "steer/twice.toml",
			Failures: []report.Failure{{File: "steer/twice.toml", Line: 31, What: "timeline",
				Want: report.Lines([]string{"user: one", "user: two", "assistant: both"}),
				Got:  report.Lines([]string{"user: one", "assistant: one only"})}},
			Timeline: []report.Row{{Text: "user: one"}, {Text: "assistant: one only"}}},
	}}
	w := report.Text{W: os.Stdout, Color: report.UseColor(os.Stdout)}
	for _, r := range run.Results {
		_ = w.Result(r)
	}
	_ = w.End(run)
	// Output:
	// pass             steer/twice send=steer                                   412 ms
	// fail             steer/twice send=replace                                 480 ms
	//
	//     steer/twice.toml:31: timeline
	//         wanted (-) and seen (+)
	//           user: one
	//         - user: two
	//         - assistant: both
	//         + assistant: one only
	//
	//     timeline as it happened
	//           user: one
	//         > assistant: one only  <-- timeline
	//
	//     play only this:
	//         replay run steer/twice.toml --set send=replace
	//
	// 2 variants in 900 ms: 1 pass, 1 fail
	// 1 passed, 1 failed
}
