package judge

import (
	"cmp"
	"slices"

	"github.com/heldstream/heldstream/harness/reading"
)

// arrivals lists the user texts of turn requests in the order of their first
// arrival. A text stands in the list as often as it stood in one request: a
// prompt that codex repeats within a request is there twice, one that a later
// request carries along as history is not.
func (v view) arrivals() []string {
	var list []string
	seen := map[[2]string]int{} // thread and text -> times
	for _, q := range v.requestsInOrder() {
		if q.Class != "turn" {
			continue
		}
		here := map[string]int{}
		for _, text := range q.Texts {
			key := [2]string{q.Thread, text}
			if here[text]++; q.Incremental || here[text] > seen[key] {
				seen[key]++
				list = append(list, text)
			}
		}
	}
	return list
}

func (v view) requestsInOrder() []*reading.Request {
	var all []*reading.Request
	for _, a := range v.agents {
		all = append(all, a.Requests...)
	}
	slices.SortFunc(all, func(x, y *reading.Request) int { return cmp.Compare(x.ID, y.ID) })
	return all
}

// delivered compares the wanted texts with those among them that arrived.
func (v view) delivered(want []string) Finding {
	got := slices.DeleteFunc(v.arrivals(), func(t string) bool { return !slices.Contains(want, t) })
	return sequence(want, got)
}

// lost: the text is in no turn request, and nobody told its sender.
func (v view) lost(want []string) Finding {
	arrived := v.arrivals()
	var got []string
	for _, text := range want {
		if !slices.Contains(arrived, text) && !v.told(text) {
			got = append(got, text)
		}
	}
	if len(got) == len(want) {
		return Finding{Answer: Met, Want: listing(want), Got: listing(got)}
	}
	return Finding{Answer: Never, Want: listing(want), Got: listing(got)}
}

func (v view) told(text string) bool {
	for _, a := range v.agents {
		for _, u := range a.Lost {
			if u.Text == text {
				return true
			}
		}
	}
	return false
}

// Fates sorts all texts that were sent: those that reached the model, in order
// of arrival, and those that did not and whose senders were not told.
func (s Subject) Fates() (delivered, lost []string) {
	v := view{Subject: s, agents: s.agents("")}
	var sent []string
	for _, send := range s.Run.Sends {
		sent = append(sent, send.Text)
	}
	arrived := v.arrivals()
	for _, text := range arrived {
		if slices.Contains(sent, text) {
			delivered = append(delivered, text)
		}
	}
	for _, text := range sent {
		if !slices.Contains(arrived, text) && !v.told(text) {
			lost = append(lost, text)
		}
	}
	return delivered, lost
}
