package judge

import (
	"fmt"
	"strings"

	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/reading"
)

// Answer is how an expectation stands.
type Answer int

// The answers.
const (
	Unmet Answer = iota // not yet
	Met
	Never // cannot be met any more
)

// Finding is a judged expectation. Want and Got are one line each, or one entry
// a line.
type Finding struct {
	Answer    Answer
	Want, Got string
	Detail    string
}

// Subject is what expectations are judged over.
type Subject struct {
	Run *reading.Run
	// Expand puts in the names that only the run knows; nil leaves texts alone.
	Expand func(string) string
}

// Check judges one expectation.
func (s Subject) Check(e plan.Expectation) Finding {
	v := view{Subject: s, agents: s.agents(e.Agent)}
	switch want := e.Value.(type) {
	case *plan.Compactions:
		return v.compactions(want)
	case *plan.Texts:
		return v.texts(e.Key, s.expandAll(want.List))
	case *plan.Turns:
		return v.turns(want)
	case *plan.Calls:
		return v.calls(want)
	case *plan.Requests:
		return v.requests(e.Key == "attempts", want)
	case *plan.Timeline:
		return v.timeline(want)
	case *plan.Errors:
		return v.errors(want)
	case *plan.Largest:
		return v.largest(want)
	case *plan.Usage:
		return v.usage(want)
	case *plan.Connections:
		return v.connections(want)
	case *plan.RolloutWant:
		return v.rollout(want)
	case *plan.Budget:
		return v.budget(want)
	}
	return Finding{Answer: Never, Want: e.Key, Got: fmt.Sprintf("an expectation of the unknown kind %T", e.Value)}
}

// view is what one expectation looks at: one agent, or all.
type view struct {
	Subject
	agents []*reading.Agent
}

func (s Subject) agents(name string) []*reading.Agent {
	var all []*reading.Agent
	for _, n := range s.Run.Order {
		if name == "" || n == name {
			all = append(all, s.Run.Agents[n])
		}
	}
	return all
}

func (s Subject) expand(text string) string {
	if s.Expand == nil {
		return text
	}
	return s.Expand(text)
}

func (s Subject) expandAll(list []plan.Text) []string {
	all := make([]string, len(list))
	for i, t := range list {
		all[i] = s.expand(t.Text)
	}
	return all
}

// texts judges the expectations that are lists of texts.
func (v view) texts(key string, want []string) Finding {
	switch key {
	case "delivered":
		return v.delivered(want)
	case "lost":
		return v.lost(want)
	case "lifecycle":
		return sequence(want, v.lifecycle())
	case "permissions":
		return sequence(want, v.permissions())
	case "sends":
		return sequence(want, v.sends())
	}
	return Finding{Answer: Never, Want: key, Got: "no such list"}
}

// sequence compares a list that only grows at its end.
func sequence(want, got []string) Finding {
	f := Finding{Want: listing(want), Got: listing(got)}
	for i, g := range got {
		if i >= len(want) || want[i] != g {
			f.Answer = Never
			return f
		}
	}
	if len(got) == len(want) {
		f.Answer = Met
	}
	return f
}

// listing has an entry a line, so a newline in one stands as \n.
func listing(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	entries := make([]string, len(list))
	for i, entry := range list {
		entries[i] = strings.ReplaceAll(entry, "\n", `\n`)
	}
	return strings.Join(entries, "\n")
}

// count compares numbers that only grow; nil is not compared.
func count(want *int, got int) Answer {
	switch {
	case want == nil || got == *want:
		return Met
	case got > *want:
		return Never
	}
	return Unmet
}

// all is the answer of several that must hold together.
func all(answers ...Answer) Answer {
	worst := Met
	for _, a := range answers {
		if a == Never {
			return Never
		}
		if a == Unmet {
			worst = Unmet
		}
	}
	return worst
}
