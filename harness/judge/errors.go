package judge

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
)

func (v view) errors(want *plan.Errors) Finding {
	var got, wanted []string
	f := Finding{Answer: Met}
	for _, a := range v.agents {
		for _, n := range a.Notices {
			if n.Level != "error" {
				continue
			}
			if i := len(got); i >= len(want.List) || !v.sameError(want.List[i], n) {
				f.Answer = Never
			}
			got = append(got, errorLine(n.Text, &n.Retry, n.Code))
		}
	}
	for _, w := range want.List {
		wanted = append(wanted, errorLine(v.expand(w.Text), w.Retry, w.Code))
	}
	if len(got) < len(wanted) && f.Answer == Met {
		f.Answer = Unmet
	}
	f.Want, f.Got = listing(wanted), listing(got)
	return f
}

func (v view) sameError(w plan.ErrorWant, n eventlog.Notice) bool {
	return strings.Contains(n.Text, v.expand(w.Text)) &&
		(w.Retry == nil || *w.Retry == n.Retry) && (w.Code == "" || w.Code == n.Code)
}

func errorLine(text string, retry *bool, code string) string {
	if retry != nil && *retry {
		text += " (retries)"
	}
	if code != "" {
		text += " [" + code + "]"
	}
	return text
}

// rollout judges what codex wrote of the conversation.
func (v view) rollout(want *plan.RolloutWant) Finding {
	f := Finding{Answer: Met}
	var wanted, got []string
	for _, w := range want.Lines {
		n := v.rolloutLines(w)
		if w.Count == nil && n == 0 || w.Count != nil && n != *w.Count {
			f.Answer = Unmet
		}
		least := "at least 1"
		if w.Count != nil {
			least = fmt.Sprint(*w.Count)
		}
		wanted = append(wanted, fmt.Sprintf("%s of %s", least, rolloutWanted(w)))
		got = append(got, fmt.Sprintf("%d of %s", n, rolloutWanted(w)))
	}
	f.Want, f.Got = listing(wanted), listing(got)
	return f
}

func rolloutWanted(w plan.RolloutLine) string {
	text := w.Type
	for path, value := range w.Where {
		text += fmt.Sprintf(" %s=%v", path, value)
	}
	if w.Contains != "" {
		text += fmt.Sprintf(" containing %q", w.Contains)
	}
	return text
}

// rolloutLines counts the lines of a type; an event_msg is also known by its
// payload's type.
func (v view) rolloutLines(w plan.RolloutLine) int {
	n := 0
	for _, a := range v.agents {
		for _, line := range a.Rollout {
			kind, inner := gjson.GetBytes(line, "type").String(), gjson.GetBytes(line, "payload.type").String()
			if w.Type != "" && w.Type != kind && w.Type != inner {
				continue
			}
			if v.pathsDiffer(w.Where, line) == "" && (w.Contains == "" || contains(line, v.expand(w.Contains))) {
				n++
			}
		}
	}
	return n
}
