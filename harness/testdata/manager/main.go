// Command manager is a small agent manager for codex with the adapter that
// doc/managers.md describes. It stands here for the managers of others, and shows
// how little an adapter is.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

type object = map[string]any

// manager does everything on one goroutine: events come in, lines go out.
type manager struct {
	events chan func()
	out    *json.Encoder
	agents map[string]*agent
	syncs  []object // not answered yet
}

func main() {
	m := &manager{events: make(chan func()), out: json.NewEncoder(os.Stdout), agents: map[string]*agent{}}
	go lines(os.Stdin, m.events, m.call, func() { os.Exit(0) })
	for handle := range m.events {
		handle()
		m.answerSyncs()
	}
}

// lines hands each line to take, and then its end to end, as events.
func lines(in io.Reader, events chan func(), take func(object), end func()) {
	for scan := bufio.NewReader(in); ; {
		line, err := scan.ReadBytes('\n')
		if err != nil {
			events <- end
			return
		}
		var o object
		if json.Unmarshal(line, &o) == nil {
			events <- func() { take(o) }
		}
	}
}

// answer answers a call: with an error where there is one.
func (m *manager) answer(c, o object, err error) {
	if err != nil {
		o = object{"error": err.Error()}
	}
	if o == nil {
		o = object{}
	}
	o["id"] = c["id"]
	_ = m.out.Encode(o)
}

// call takes a call of the harness.
func (m *manager) call(c object) {
	name, _ := c["agent"].(string)
	a := m.agents[name]
	done := func(o object, err error) { m.answer(c, o, err) }
	switch call := c["call"]; {
	case call == "sync":
		m.syncs = append(m.syncs, c)
	case call == "create" || call == "resume":
		if a != nil {
			a.leave()
		}
		m.agents[name] = m.open(c, done)
	case a == nil:
		done(nil, fmt.Errorf("there is no agent %q", name))
	case call == "send":
		a.send(c["text"].(string), c["behavior"].(string), done)
	case call == "interrupt":
		a.interrupt(done)
	case call == "compact":
		a.ask("thread/compact/start", object{"threadId": a.thread}, done)
	case call == "respond":
		done(nil, a.respond(c["permission"].(string), c["allow"] == true))
	case call == "set":
		done(nil, a.set(c["name"].(string), c["value"]))
	default:
		done(nil, fmt.Errorf("this manager has no %v", call))
	}
}

// answerSyncs answers those that nothing is missing for.
func (m *manager) answerSyncs() {
	var open []object
	for _, c := range m.syncs {
		if !m.caughtUp(c) {
			open = append(open, c)
			continue
		}
		m.answer(c, nil, nil)
	}
	m.syncs = open
}

// caughtUp reports whether all lines of codex that a sync names were handled, or
// its end was.
func (m *manager) caughtUp(c object) bool {
	for _, one := range c["codex"].([]any) {
		o := one.(object)
		a := m.agents[o["agent"].(string)]
		switch {
		case a == nil || int(o["pid"].(float64)) != a.pid || a.exited: // one that was left, or is gone
		case o["exited"] == true, a.read < int(o["lines"].(float64)):
			return false
		}
	}
	return true
}
