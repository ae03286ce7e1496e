package harness

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// refusals are how the outputs begin with which codex answers a call that it
// cannot carry out: a tool that it does not have, arguments that it cannot read.
var refusals = []string{"unsupported call:", "unsupported custom tool call:", "failed to parse function arguments:"}

// refusedCalls says which calls of replies codex refused, and with which words.
// The model is told so and nobody else is: in a scenario whose model is a script
// it is mostly the reason of all that fails.
func (e *Env) refusedCalls() []string {
	var notes []string
	for _, payload := range e.payloads() {
		for _, c := range refusedIn(payload) {
			note := fmt.Sprintf("codex refused the call of %s%s, and told the model: %s", c.tool, e.calledIn(c.tool), c.said)
			if !slices.Contains(notes, note) { // later requests have it again
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// payloads are the bodies of all requests, those that no reply answers last.
func (e *Env) payloads() []json.RawMessage {
	var all []json.RawMessage
	for _, name := range e.run.Order {
		for _, q := range e.run.Agents[name].Requests {
			all = append(all, q.Payload)
		}
	}
	for _, r := range e.run.Refused {
		all = append(all, r.Payload)
	}
	return all
}

type refusedCall struct{ tool, said string }

// refusedIn finds the refused calls in the input of a request.
func refusedIn(payload json.RawMessage) []refusedCall {
	var found []refusedCall
	tools := map[string]string{}
	gjson.GetBytes(payload, "input").ForEach(func(_, item gjson.Result) bool {
		id, kind := item.Get("call_id").String(), item.Get("type").String()
		if strings.HasSuffix(kind, "_call") {
			tools[id] = item.Get("name").String()
		}
		if said := item.Get("output").String(); strings.HasSuffix(kind, "_call_output") && refuses(said) {
			found = append(found, refusedCall{tools[id], said})
		}
		return true
	})
	return found
}

func refuses(output string) bool {
	return slices.ContainsFunc(refusals, func(start string) bool { return strings.HasPrefix(output, start) })
}

// calledIn is the place of the first reply that calls a tool.
func (e *Env) calledIn(tool string) string {
	for i, r := range e.plan.Script.Replies {
		for j, c := range r.Call {
			if c.Tool == tool {
				return " in " + e.plan.Place(fmt.Sprintf("reply[%d].call[%d]", i, j)).Place()
			}
		}
	}
	return ""
}
