package tape

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// lane names the acts whose order among each other is codex's own and kept.
// Answers and cuts are lanes of their own: codex answers an interrupt before or
// after it says that the turn is over.
func lane(l Line) string {
	switch l.Verb {
	case Answer, Error:
		return fmt.Sprintf("%c answer %d", l.Mark, l.N)
	case Leave:
		return "cut " + l.number()
	case Ask:
		if l.Tools {
			return "tools " + l.Thread
		}
		return "requests " + l.Thread
	case Event:
		return "events " + l.number()
	case Stand, Release:
		return l.Verb + " " + l.Name
	}
	if aside[l.Name] {
		return fmt.Sprintf("%c %s %s %s", l.Mark, l.Thread, l.Name, l.Data)
	}
	return fmt.Sprintf("%c %s", l.Mark, l.Thread)
}

// aside are messages that codex tells beside the others, in any order.
var aside = map[string]bool{
	"configWarning": true, "warning": true, // at the start of a thread
	"mcpServer/startupStatus/updated": true,
	"serverRequest/resolved":          true, // of approvals that are open at once
}

// Difference is a lane in which two tapes differ.
type Difference struct {
	Agent, Lane string
	Process     int // of the agent, from 1
	Old, New    []string
}

// String shows the first lines that differ.
func (d Difference) String() string {
	where := fmt.Sprintf("agent %s, process %d, lane %s", d.Agent, d.Process, d.Lane)
	for i := 0; i < max(len(d.Old), len(d.New)); i++ {
		if a, b := at(d.Old, i), at(d.New, i); a != b {
			from := common(a, b)
			return fmt.Sprintf("%s, act %d:\n  - %s\n  + %s", where, i+1, excerpt(a, from), excerpt(b, from))
		}
	}
	return where
}

// common is how many bytes two texts begin with alike.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// excerpt shows a line's beginning and what stands around a place in it.
func excerpt(line string, at int) string {
	const begin, before, after = 60, 60, 120
	end := min(len(line), at+after)
	if at-before <= begin {
		return strings.ToValidUTF8(line[:end], "")
	}
	return strings.ToValidUTF8(line[:begin]+" … "+line[at-before:end], "")
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}

// Compare returns the lanes in which two tapes differ. Two recordings of the
// same scenario are never the same bytes; their lanes are.
func Compare(old, new *Tape) []Difference {
	var all []Difference
	if old.Head != new.Head {
		all = append(all, Difference{Lane: "head", Old: []string{string(mustJSON(old.Head))}, New: []string{string(mustJSON(new.Head))}})
	}
	a, b := lanesOf(old), lanesOf(new)
	a.dropChance(b)
	for _, k := range append(a.order, b.order...) {
		x, y := a.lines[k], b.lines[k]
		delete(a.lines, k)
		delete(b.lines, k)
		if strings.Join(x, "\n") != strings.Join(y, "\n") {
			all = append(all, Difference{Agent: k.agent, Process: k.process, Lane: k.lane, Old: x, New: y})
		}
	}
	return all
}

// dropChance makes those streams equal that were left while the provider was
// sending: how much it had sent by then, and whether it had sent all, is chance.
func (a laneSet) dropChance(b laneSet) {
	for k := range a.lines {
		number, stream := strings.CutPrefix(k.lane, "events ")
		if !stream {
			continue
		}
		left := laneKey{k.agent, k.process, "cut " + number}
		x, y := a.lines[k], b.lines[k]
		if (a.lines[left] == nil && b.lines[left] == nil) || !mayBeOne(x, a.lines[left] != nil, y, b.lines[left] != nil) {
			continue
		}
		for _, lane := range []laneKey{k, left} {
			delete(a.lines, lane)
			delete(b.lines, lane)
		}
	}
}

// mayBeOne reports whether one stream holds all of the other, and each was left
// or sent to its end.
func mayBeOne(x []string, xLeft bool, y []string, yLeft bool) bool {
	n := min(len(x), len(y))
	return strings.Join(x[:n], "\n") == strings.Join(y[:n], "\n") && (xLeft || whole(x)) && (yLeft || whole(y))
}

func whole(events []string) bool {
	return len(events) > 0 && strings.HasSuffix(events[len(events)-1], " "+End)
}

// chatter are messages of which it is chance whether they come at all: what a
// command prints as it prints it, and what follows the headers of an answer that
// is left at once.
var chatter = map[string]bool{
	"item/commandExecution/outputDelta": true,
	"account/rateLimits/updated":        true,
	"thread/tokenUsage/updated":         true,
}

// itemOf splits a thread's messages by the items that they tell of: tools that
// run side by side start and end in any order.
func itemOf(l Line) string {
	var data struct {
		ItemID string
		Item   struct{ ID string }
	}
	if l.Mark != Codex || l.Verb == Answer || json.Unmarshal(l.Data, &data) != nil {
		return ""
	}
	return strings.TrimRight(" "+data.ItemID+data.Item.ID, " ")
}

// ofAsk reports whether the line is a call of codex's, or the answer to one.
func (l Line) ofAsk() bool {
	if l.Verb == Call {
		return l.Mark == Codex
	}
	return l.Mark == Manager && (l.Verb == Answer || l.Verb == Error)
}

// ranks numbers codex's calls by what they ask: two at once come in any order.
func (s Section) ranks() map[int]int {
	var calls []Line
	for _, l := range s.Lines {
		if l.Verb == Call && l.Mark == Codex {
			calls = append(calls, l)
		}
	}
	slices.SortStableFunc(calls, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Name, b.Name), bytes.Compare(a.Data, b.Data))
	})
	ranks := map[int]int{}
	for i, l := range calls {
		ranks[l.N] = i + 1
	}
	return ranks
}

type laneKey struct {
	agent   string
	process int
	lane    string
}

type laneSet struct {
	order []laneKey
	lines map[laneKey][]string
}

func lanesOf(t *Tape) laneSet {
	set := laneSet{lines: map[laneKey][]string{}}
	processes := map[string]int{}
	for _, s := range t.Sections {
		processes[s.Agent]++
		add := func(lane, line string) {
			k := laneKey{s.Agent, processes[s.Agent], lane}
			if set.lines[k] == nil {
				set.order = append(set.order, k)
			}
			set.lines[k] = append(set.lines[k], line)
		}
		ranks := s.ranks()
		for _, l := range s.Lines {
			if rank := ranks[l.N]; rank > 0 && l.ofAsk() {
				l.N = rank
			}
			if !chatter[l.Name] {
				add(lane(l)+itemOf(l), l.String())
			}
		}
		for _, r := range s.Rollout {
			add("rollout", string(r))
		}
		add("exit", string(mustJSON(s.Exit)))
	}
	return set
}
