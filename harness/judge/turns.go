package judge

import (
	"fmt"

	"github.com/heldstream/heldstream/harness/plan"
)

func (v view) turns(want *plan.Turns) Finding {
	ends := v.turnEnds()
	if want.Count != nil {
		return Finding{Answer: count(want.Count, len(ends)), Want: fmt.Sprint(*want.Count), Got: fmt.Sprint(len(ends))}
	}
	return sequence(v.expandAll(want.List), ends)
}

func (v view) turnEnds() []string {
	var ends []string
	for _, a := range v.agents {
		for _, t := range a.Turns {
			if t.Status != "started" {
				ends = append(ends, t.Status)
			}
		}
	}
	return ends
}

func (v view) usage(want *plan.Usage) Finding {
	var got, wanted []string
	f := Finding{Answer: Met}
	for _, a := range v.agents {
		for _, t := range a.Turns {
			if t.Status == "completed" {
				got = append(got, tokens(t.Usage))
				f.Answer = all(f.Answer, usageOf(want.Turns, len(got)-1, t.Usage))
			}
		}
	}
	for _, w := range want.Turns {
		wanted = append(wanted, parts("input", w.Input, "cached", w.Cached, "output", w.Output, "reasoning", w.Reasoning, "total", w.Total))
	}
	if len(got) < len(wanted) && f.Answer == Met {
		f.Answer = Unmet
	}
	f.Want, f.Got = listing(wanted), listing(got)
	return f
}

func usageOf(want []plan.UsageWant, i int, got map[string]int64) Answer {
	if i >= len(want) {
		return Never
	}
	w := want[i]
	for name, n := range map[string]*int{"input": w.Input, "cached": w.Cached, "output": w.Output, "reasoning": w.Reasoning, "total": w.Total} {
		if n != nil && int64(*n) != got[name] {
			return Never
		}
	}
	return Met
}

func tokens(u map[string]int64) string {
	return fmt.Sprintf("%d input, %d cached, %d output, %d reasoning, %d total",
		u["input"], u["cached"], u["output"], u["reasoning"], u["total"])
}
