package judge

import (
	"cmp"
	"slices"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/reading"
)

// lifecycle lists the states published since the first send, equal neighbors once.
func (v view) lifecycle() []string {
	var list []string
	for _, a := range v.agents {
		if a.FirstSend < 0 {
			continue
		}
		for _, s := range a.States[a.FirstSend:] {
			list = append(list, s.Lifecycle)
		}
	}
	return slices.Compact(list)
}

// permissions lists how permission requests were answered, in the order of the
// calls that they are about: codex asks for several at once in any order.
func (v view) permissions() []string {
	var list []string
	for _, a := range v.agents {
		requests := slices.Clone(a.Perms)
		slices.SortStableFunc(requests, func(x, y eventlog.Permission) int { return cmp.Compare(a.Called[x.Item], a.Called[y.Item]) })
		for _, asked := range requests {
			if asked.Outcome == "" {
				if outcome := outcomeOf(a, asked.Request); outcome != "" {
					list = append(list, outcome)
				}
			}
		}
	}
	return list
}

func outcomeOf(a *reading.Agent, request string) string {
	for _, p := range a.Perms {
		if p.Request == request && p.Outcome != "" {
			return p.Outcome
		}
	}
	return ""
}

// sends lists what each send gave, in the order of the sends.
func (v view) sends() []string {
	var list []string
	for _, send := range v.Run.Sends {
		if slices.ContainsFunc(v.agents, func(a *reading.Agent) bool { return a.Name == send.Agent }) {
			list = append(list, v.gave(send))
		}
	}
	return list
}

func (v view) gave(send *reading.Send) string {
	a := v.Run.Agents[send.Agent]
	for _, u := range a.Lost {
		if u.ID == send.ID {
			return "undelivered"
		}
	}
	switch {
	case send.Answer == nil:
		return "no answer"
	case send.Answer.Error != "":
		return "error: " + send.Answer.Error
	}
	return send.Answer.Gives
}
