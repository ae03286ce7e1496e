package mockprovider

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/heldstream/heldstream/mockprovider/responses"
)

// lint tells how a sequence of events differs from what the API can send: a
// client may take such a stream for an empty success.
func lint(events []responses.Event) []string {
	l := &linter{open: map[string]bool{}, done: map[string]bool{}, sequence: -1}
	for i, e := range events {
		l.at = fmt.Sprintf("events[%d] %s", i, e.Type)
		l.event(e)
	}
	return l.faults
}

type linter struct {
	at       string
	faults   []string
	sequence int64
	ended    bool
	open     map[string]bool // items added and not done
	done     map[string]bool
}

func (l *linter) fault(format string, args ...any) {
	l.faults = append(l.faults, l.at+": "+fmt.Sprintf(format, args...))
}

func (l *linter) event(e responses.Event) {
	v := gjson.ParseBytes(e.Data)
	if !json.Valid(e.Data) || !v.IsObject() || e.Type == "" {
		l.fault("no JSON object with a type")
		return
	}
	if l.ended {
		l.fault("comes after the event that ended the response")
	}
	if n := v.Get("sequence_number"); n.Exists() {
		if n.Int() <= l.sequence {
			l.fault("sequence_number %d after %d", n.Int(), l.sequence)
		}
		l.sequence = n.Int()
	}
	switch {
	case e.Type == "response.output_item.added":
		l.added(v.Get("item"))
	case e.Type == "response.output_item.done":
		l.itemDone(v.Get("item"))
	case strings.HasSuffix(e.Type, ".delta"):
		l.delta(v)
	case isTerminal(e.Type):
		l.terminal(e.Type, v)
	}
}

func (l *linter) added(it gjson.Result) {
	id := it.Get("id").Str
	switch {
	case id == "":
		l.fault("item without id")
	case l.open[id] || l.done[id]:
		l.fault("a second item %s", id)
	}
	l.open[id] = true
}

func (l *linter) itemDone(it gjson.Result) {
	id := it.Get("id").Str
	if _, isCall := outputOf[it.Get("type").Str]; isCall && it.Get("call_id").Str == "" {
		l.fault("call without call_id")
	}
	if !it.Get("type").Exists() {
		l.fault("no item")
	}
	if id == "" {
		return // some kinds have none
	}
	if l.done[id] {
		l.fault("item %s is done twice", id)
	}
	delete(l.open, id)
	l.done[id] = true
}

func (l *linter) delta(v gjson.Result) {
	id := v.Get("item_id").Str
	if id != "" && !l.open[id] {
		l.fault("delta of item %s, which is not open", id)
	}
	if id == "" && len(l.open) == 0 {
		l.fault("delta without an open item")
	}
}

func (l *linter) terminal(kind string, v gjson.Result) {
	l.ended = true
	if kind != "response.completed" {
		return // a failure may break off anything
	}
	if v.Get("response.id").Type != gjson.String {
		l.fault("response without id")
	}
	for _, id := range sortedKeys(l.open) {
		l.fault("item %s was added and never done", id)
	}
}
