package mockprovider

import (
	"fmt"
	"strings"
)

// account holds a client to the protocol and says what it broke: every call
// has exactly one output, every output a call before it, ids are unique. On a
// WebSocket the history goes before what the request adds to it.
func account(q *request) []string {
	l := ledger{partial: q.previous != "" && q.past == nil}
	if q.past != nil {
		for i, it := range q.past.items {
			l.add(i, it)
		}
		l.breaches = nil // told of when they came
	}
	for i, it := range q.items {
		l.add(i, it)
	}
	return append(l.breaches, l.unanswered()...)
}

// outputOf names the output item of each call that the client has to answer.
var outputOf = map[string]string{
	"function_call":    "function_call_output",
	"custom_tool_call": "custom_tool_call_output",
	"local_shell_call": "local_shell_call_output",
	"tool_search_call": "tool_search_output",
	"computer_call":    "computer_call_output",
}

type call struct {
	output string // the type that answers it
	item   item
	done   bool
}

// ledger keeps the calls of a history. The zero value is an empty one.
type ledger struct {
	calls    map[string]*call
	order    []string
	ids      map[string]bool
	partial  bool // there is more before it that we do not have
	breaches []string
}

func (l *ledger) breach(format string, i int, it item) {
	l.breaches = append(l.breaches, fmt.Sprintf("input[%d]: "+format+": %s", i, shorten(it.raw.Raw)))
}

func (l *ledger) add(i int, it item) {
	if it.id != "" {
		if l.ids[it.id] {
			l.breach("a second item with this id", i, it)
		}
		if l.ids == nil {
			l.ids = map[string]bool{}
		}
		l.ids[it.id] = true
	}
	id := it.callID
	output, isCall := outputOf[it.kind]
	switch {
	case isCall && it.kind == "tool_search_call" && it.raw.Get("execution").Str == "server":
	case isCall && id == "":
		l.breach("a call without a call_id", i, it)
	case isCall && l.calls[id] != nil:
		l.breach("a second call with this call_id", i, it)
	case isCall:
		if l.calls == nil {
			l.calls = map[string]*call{}
		}
		l.calls[id] = &call{output: output, item: it}
		l.order = append(l.order, id)
	case isClientOutput(it.kind):
		l.answer(i, it, l.calls[id])
	}
}

func isClientOutput(kind string) bool {
	if !strings.HasSuffix(kind, "_output") {
		return false
	}
	for _, output := range outputOf {
		if kind == output {
			return true
		}
	}
	return false
}

func (l *ledger) answer(i int, it item, c *call) {
	switch {
	case c == nil && (l.partial || it.raw.Get("execution").Str == "server"):
	case c == nil:
		l.breach("an output without a call before it", i, it)
	case c.done:
		l.breach("a second output for the same call", i, it)
	case c.output != it.kind:
		l.breach("an output of another kind than its call, "+strings.TrimSuffix(c.output, "_output"), i, it)
	default:
		c.done = true
	}
}

// unanswered are the calls without an output.
func (l *ledger) unanswered() []string {
	var bs []string
	for _, id := range l.order {
		if c := l.calls[id]; !c.done {
			bs = append(bs, "a call without an output: "+shorten(c.item.raw.Raw))
		}
	}
	return bs
}
