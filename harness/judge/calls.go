package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/harness/plan"
)

// calls counts by method what codex was asked. What a wire rule kept from codex
// was not asked.
func (v view) calls(want *plan.Calls) Finding {
	f := Finding{Answer: Met}
	asked := v.asked()
	var wanted, got []string
	for _, method := range slices.Sorted(maps.Keys(want.Counts)) {
		n := want.Counts[method]
		f.Answer = all(f.Answer, count(&n, asked[method]))
		wanted = append(wanted, fmt.Sprintf("%s %d", method, n))
		got = append(got, fmt.Sprintf("%s %d", method, asked[method]))
	}
	f.Want, f.Got = strings.Join(wanted, ", "), strings.Join(got, ", ")
	return f
}

// Figures are what a run came to, in the words of the expectations.
type Figures struct {
	Sends, Turns, Lifecycle []string
	Calls                   map[string]int
}

// Figures reads them off the log.
func (s Subject) Figures() Figures {
	v := view{Subject: s, agents: s.agents("")}
	return Figures{Sends: v.sends(), Turns: v.turnEnds(), Lifecycle: v.lifecycle(), Calls: v.asked()}
}

func (v view) asked() map[string]int {
	sum := map[string]int{}
	for _, a := range v.agents {
		for method, n := range a.Asked {
			sum[method] += n
		}
	}
	return sum
}
