package judge

import (
	"fmt"
	"strings"

	"github.com/heldstream/heldstream/harness/plan"
)

func (v view) compactions(want *plan.Compactions) Finding {
	var started, completed, aborted int
	for _, a := range v.agents {
		s, c, x := a.Compactions()
		started, completed, aborted = started+s, completed+c, aborted+x
	}
	return Finding{
		Answer: all(count(want.Started, started), count(want.Completed, completed), count(want.Aborted, aborted)),
		Want:   parts("started", want.Started, "completed", want.Completed, "aborted", want.Aborted),
		Got:    fmt.Sprintf("%d started, %d completed, %d aborted", started, completed, aborted),
	}
}

// parts renders names and numbers, leaving out those that are not compared.
func parts(pairs ...any) string {
	var list []string
	for i := 0; i < len(pairs); i += 2 {
		if n := pairs[i+1].(*int); n != nil {
			list = append(list, fmt.Sprintf("%d %s", *n, pairs[i]))
		}
	}
	return strings.Join(list, ", ")
}
