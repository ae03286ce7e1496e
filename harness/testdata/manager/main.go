// Command manager is a small agent manager for codex with the adapter that
// doc/managers.md describes: one agent, sends that replace or steer. It stands
// here for the managers of others, and shows how little an adapter is.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
)

type object = map[string]any

// manager does everything on one goroutine: events come in, lines go out.
type manager struct {
	events chan func()
	out    *json.Encoder

	agent, thread, turn string
	codex               *json.Encoder
	pid, read           int
	last                int
	calls               map[int]func(result, failed object)
	waiting             []func() // prompts that wait for the running turn to end
	starting            bool
	steers              []func() // prompts that wait for the turn to start
	syncs               []func() bool
	compaction          bool
}

func main() {
	m := &manager{events: make(chan func()), out: json.NewEncoder(os.Stdout), calls: map[int]func(result, failed object){}}
	go lines(os.Stdin, m.events, m.call, func() { os.Exit(0) })
	for handle := range m.events {
		handle()
		m.answerSyncs()
	}
}

func lines(in *os.File, events chan func(), take func(object), end func()) {
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

func (m *manager) tell(event string, o object) {
	o["event"], o["agent"] = event, m.agent
	_ = m.out.Encode(o)
}

func (m *manager) answer(id any, o object) {
	o["id"] = id
	_ = m.out.Encode(o)
}

// call takes a call of the harness.
func (m *manager) call(c object) {
	switch c["call"] {
	case "create":
		m.create(c)
	case "send":
		m.send(c)
	case "interrupt":
		m.interrupt(func() { m.answer(c["id"], object{}) })
	case "sync":
		m.syncs = append(m.syncs, func() bool { return m.sync(c) })
	default:
		m.answer(c["id"], object{"error": "this manager has no " + c["call"].(string)})
	}
}

// sync is answered once all lines of codex that it names were handled.
func (m *manager) sync(c object) bool {
	list, _ := c["codex"].([]any)
	for _, one := range list {
		o := one.(object)
		if o["exited"] != true && int(o["pid"].(float64)) == m.pid && m.read < int(o["lines"].(float64)) {
			return false
		}
	}
	m.answer(c["id"], object{})
	return true
}

func (m *manager) answerSyncs() {
	for len(m.syncs) > 0 && m.syncs[0]() {
		m.syncs = m.syncs[1:]
	}
}

func (m *manager) create(c object) {
	m.agent = c["agent"].(string)
	cmd := exec.Command(os.Getenv("CODEX_BIN"), "app-server")
	cmd.Env = append(os.Environ(), "CODEX_HOME="+c["codex_home"].(string))
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		m.answer(c["id"], object{"error": err.Error()})
		return
	}
	m.pid, m.codex = cmd.Process.Pid, json.NewEncoder(in)
	go lines(out.(*os.File), m.events, m.fromCodex, func() { m.tell("state", object{"state": "error"}) })
	m.ask("initialize", object{"clientInfo": object{"name": "sample", "version": "1"}, "capabilities": object{"experimentalApi": true}}, func(_, _ object) {
		_ = m.codex.Encode(object{"method": "initialized"})
		m.ask("thread/start", object{"cwd": c["cwd"]}, func(r, _ object) {
			m.thread = r["thread"].(object)["id"].(string)
			m.tell("state", object{"state": "idle"})
			m.answer(c["id"], object{})
		})
	})
}

func (m *manager) ask(method string, params object, done func(result, failed object)) {
	m.last++
	m.calls[m.last] = done
	_ = m.codex.Encode(object{"id": m.last, "method": method, "params": params})
}

func (m *manager) input(text string) []any { return []any{object{"type": "text", "text": text}} }

// send replaces, unless it is to steer.
func (m *manager) send(c object) {
	switch {
	case m.turn == "" && !m.starting:
		m.start(c)
	case c["behavior"] == "steer" && m.turn == "":
		m.steers = append(m.steers, func() { m.steer(c) })
	case c["behavior"] == "steer":
		m.steer(c)
	default:
		m.waiting = append(m.waiting, func() { m.start(c) })
		m.interrupt(func() {})
	}
}

func (m *manager) start(c object) {
	m.starting = true
	m.tell("state", object{"state": "running"})
	m.ask("turn/start", object{"threadId": m.thread, "input": m.input(c["text"].(string))}, func(r, failed object) {
		m.starting = false
		if failed != nil {
			m.answer(c["id"], object{"error": failed["message"]})
			return
		}
		m.turn = r["turn"].(object)["id"].(string)
		m.accepted(c, "started")
		for _, steer := range m.steers {
			steer()
		}
		m.steers = nil
	})
}

func (m *manager) steer(c object) {
	m.ask("turn/steer", object{"threadId": m.thread, "expectedTurnId": m.turn, "input": m.input(c["text"].(string))}, func(_, failed object) {
		if failed != nil {
			m.answer(c["id"], object{"error": failed["message"]})
			return
		}
		m.accepted(c, "steered")
	})
}

func (m *manager) accepted(c object, how string) {
	m.tell("row", object{"kind": "user", "text": c["text"], "turn": m.turn})
	m.answer(c["id"], object{"gives": how, "turn": m.turn})
}

func (m *manager) interrupt(done func()) {
	if m.turn == "" {
		done()
		return
	}
	m.ask("turn/interrupt", object{"threadId": m.thread, "turnId": m.turn}, func(_, _ object) { done() })
}

func (m *manager) fromCodex(o object) {
	m.read++
	id, hasID := o["id"].(float64)
	method, _ := o["method"].(string)
	params, _ := o["params"].(object)
	switch {
	case method == "" && hasID:
		done := m.calls[int(id)]
		delete(m.calls, int(id))
		result, _ := o["result"].(object)
		failed, _ := o["error"].(object)
		done(result, failed)
	case method == "turn/started":
		m.tell("turn", object{"turn": params["turn"].(object)["id"], "status": "started"})
	case method == "turn/completed":
		m.ended(params["turn"].(object))
	case strings.HasPrefix(method, "item/") && !hasID:
		if item, ok := params["item"].(object); ok {
			m.item(method, item)
		}
	}
}

func (m *manager) ended(turn object) {
	if m.compaction {
		m.tell("row", object{"kind": "compaction", "status": "aborted"})
		m.compaction = false
	}
	m.turn = ""
	m.tell("turn", object{"turn": turn["id"], "status": turn["status"]})
	if len(m.waiting) > 0 {
		next := m.waiting[0]
		m.waiting = m.waiting[1:]
		next()
		return
	}
	m.tell("state", object{"state": "idle"})
}

func (m *manager) item(method string, item object) {
	switch {
	case item["type"] == "contextCompaction":
		status := map[string]string{"item/started": "running", "item/completed": "completed"}[method]
		m.compaction = status == "running"
		m.tell("row", object{"kind": "compaction", "status": status})
	case item["type"] == "agentMessage" && method == "item/completed":
		m.tell("row", object{"kind": "assistant", "text": item["text"]})
	}
}
