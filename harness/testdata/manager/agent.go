package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
)

// agent is one agent with its codex.
type agent struct {
	m     *manager
	name  string
	stdin io.Closer
	codex *json.Encoder
	pid   int
	read  int // lines of codex that were handled

	exited, left bool
	last         int
	calls        map[int]answered

	thread, turn string
	settings     object            // of the turns to come
	starting     bool              // the answer to turn/start is owed
	waiting      []prompt          // for the running turn to end
	steers       []func()          // for the turn to start
	asks         map[string]object // of codex, not answered, by item
	compacting   bool
}

type answered func(object, error)

type prompt struct {
	text string
	done answered
}

// open starts a codex and its conversation, a new one or the one to resume.
func (m *manager) open(c object, done answered) *agent {
	a := &agent{m: m, name: c["agent"].(string), calls: map[int]answered{}, settings: object{}, asks: map[string]object{}}
	if c["model"] != "" {
		a.settings["model"] = c["model"]
	}
	if err := a.start(c); err != nil {
		done(nil, err)
		return a
	}
	a.ask("initialize", object{"clientInfo": object{"name": "sample", "version": "1"}, "capabilities": object{"experimentalApi": true}}, func(_ object, err error) {
		if err != nil {
			done(nil, err)
			return
		}
		_ = a.codex.Encode(object{"method": "initialized"})
		a.converse(c, done)
	})
	return a
}

func (a *agent) start(c object) error {
	cmd := exec.Command(c["codex_bin"].(string), "app-server")
	cmd.Env = append(os.Environ(), "CODEX_HOME="+c["codex_home"].(string))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	a.stdin, a.pid, a.codex = in, cmd.Process.Pid, json.NewEncoder(in)
	go lines(out, a.m.events, a.fromCodex, a.gone)
	return nil
}

func (a *agent) converse(c object, done answered) {
	method, params := "thread/start", object{"cwd": c["cwd"]}
	if c["call"] == "resume" {
		method, params["threadId"] = "thread/resume", c["thread"]
	}
	a.ask(method, params, func(r object, err error) {
		if err == nil {
			a.thread = r["thread"].(object)["id"].(string)
			a.tell("state", object{"state": "idle"})
		}
		done(nil, err)
	})
}

func (a *agent) tell(event string, o object) {
	o["event"], o["agent"] = event, a.name
	_ = a.m.out.Encode(o)
}

func (a *agent) ask(method string, params object, done answered) {
	if a.exited {
		done(nil, errGone)
		return
	}
	a.last++
	a.calls[a.last] = done
	_ = a.codex.Encode(object{"id": a.last, "method": method, "params": params})
}

var errGone = errors.New("codex has exited")

// leave ends the codex of a conversation that a new one goes on with.
func (a *agent) leave() {
	a.left = true
	_ = a.stdin.Close()
}

// gone: what was asked of codex gets no answer, and what ran has failed.
func (a *agent) gone() {
	a.exited = true
	if a.left {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(a.calls)) {
		done := a.calls[id]
		delete(a.calls, id)
		done(nil, errGone)
	}
	if a.turn != "" {
		a.over(a.turn, "failed", errGone.Error())
	}
	a.tell("state", object{"state": "error", "error": errGone.Error()})
}

func input(text string) []any { return []any{object{"type": "text", "text": text}} }

// send replaces what runs, unless it is to steer or to wait.
func (a *agent) send(text, behavior string, done answered) {
	switch p := (prompt{text, done}); {
	case a.turn == "" && !a.starting:
		a.begin(p)
	case behavior == "queue":
		a.waiting = append(a.waiting, prompt{text, func(object, error) {}})
		a.tell("state", object{"state": "running", "queued": len(a.waiting)})
		done(object{"gives": "queued"}, nil)
	case behavior == "steer" && a.turn == "":
		a.steers = append(a.steers, func() { a.steer(p) })
	case behavior == "steer":
		a.steer(p)
	default:
		a.waiting = append(a.waiting, p)
		a.interrupt(func(object, error) {})
	}
}

func (a *agent) begin(p prompt) {
	a.starting = true
	a.tell("state", object{"state": "running", "queued": len(a.waiting)})
	params := object{"threadId": a.thread, "input": input(p.text)}
	for name, value := range a.settings {
		params[name] = value
	}
	a.ask("turn/start", params, func(r object, err error) {
		a.starting = false
		if err != nil {
			a.tell("state", object{"state": "idle"})
			p.done(nil, err)
			return
		}
		a.turn = r["turn"].(object)["id"].(string)
		a.accepted(p, "started")
		for _, steer := range a.steers {
			steer()
		}
		a.steers = nil
	})
}

func (a *agent) steer(p prompt) {
	a.ask("turn/steer", object{"threadId": a.thread, "expectedTurnId": a.turn, "input": input(p.text)}, func(_ object, err error) {
		if err != nil {
			p.done(nil, err)
			return
		}
		a.accepted(p, "steered")
	})
}

func (a *agent) accepted(p prompt, how string) {
	a.tell("row", object{"kind": "user", "text": p.text, "turn": a.turn})
	p.done(object{"gives": how, "turn": a.turn}, nil)
}

func (a *agent) interrupt(done answered) {
	if a.turn == "" {
		done(nil, nil)
		return
	}
	a.ask("turn/interrupt", object{"threadId": a.thread, "turnId": a.turn}, done)
}

// respond answers what codex asks leave for.
func (a *agent) respond(permission string, allow bool) error {
	asked := a.asks[permission]
	if asked == nil {
		return fmt.Errorf("nothing named %q is asked", permission)
	}
	delete(a.asks, permission)
	decision, outcome := "decline", "denied"
	if allow {
		decision, outcome = "accept", "allowed"
	}
	_ = a.codex.Encode(object{"id": asked["id"], "result": object{"decision": decision}})
	a.tell("permission", object{"permission": permission, "item": permission, "outcome": outcome})
	return nil
}

// set takes effect with the next turn.
func (a *agent) set(name string, value any) error {
	of, known := map[string]string{"model": "model", "thinking": "effort"}[name]
	if !known {
		return fmt.Errorf("this manager cannot set %s", name)
	}
	a.settings[of] = value
	return nil
}
