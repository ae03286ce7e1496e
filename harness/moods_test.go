package harness_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A mood is a way to be a bad manager.
type mood struct {
	takes  func(c managerCall, say func(format string, args ...any)) (taken bool, err error) // false: as a good one does
	steps  string                                                                            // of the scenario; one run where it is empty
	want   []string                                                                          // in what is told
	fails  bool                                                                              // the scenario, and not the run
	passes bool
	inside bool // cannot be told from a program's side: the function alone is played
	alone  bool // the program alone
	// How long the run may take, and the manager to exit, where that is what ends it.
	deadline, patience time.Duration
}

type managerCall struct {
	ID          int
	Call, Agent string
}

// exitCode is the end of a manager that is a program.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("code %d", int(e)) }

// serve is a manager that has no codex: it says that each prompt had a turn.
func (m mood) serve(calls io.Reader, lines io.Writer) error {
	say := func(format string, args ...any) { fmt.Fprintf(lines, format+"\n", args...) }
	for in := bufio.NewScanner(calls); in.Scan(); {
		var c managerCall
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			return err
		}
		taken, err := m.takes(c, say)
		if err != nil {
			return err
		}
		if !taken {
			good(c, say)
		}
	}
	_, err := m.takes(managerCall{Call: "the end"}, say)
	return err
}

func good(c managerCall, say func(string, ...any)) {
	switch c.Call {
	case "create":
		say(`{"event":"state","agent":"main","state":"idle"}`)
	case "send":
		say(`{"id":%d,"gives":"started","turn":"t"}`, c.ID)
		say(`{"event":"turn","agent":"main","turn":"t","status":"started"}`)
		say(`{"event":"turn","agent":"main","turn":"t","status":"completed"}`)
		return
	}
	say(`{"id":%d}`, c.ID)
}

// on does something at a call, and then what a good manager does, or not.
func on(call string, then bool, do func(c managerCall, say func(string, ...any)) error) func(managerCall, func(string, ...any)) (bool, error) {
	return func(c managerCall, say func(string, ...any)) (bool, error) {
		if c.Call != call {
			return false, nil
		}
		return !then, do(c, say)
	}
}

// says has lines written before a call is taken.
func says(call string, lines ...string) func(managerCall, func(string, ...any)) (bool, error) {
	return on(call, true, func(_ managerCall, say func(string, ...any)) error {
		for _, l := range lines {
			say("%s", l)
		}
		return nil
	})
}

func silent(call string) func(managerCall, func(string, ...any)) (bool, error) {
	return on(call, false, func(managerCall, func(string, ...any)) error { return nil })
}

var moods = map[string]mood{
	"good": {takes: silent("nothing"), passes: true},

	"garbage": {takes: says("send", "Server listens on port 8080"), want: []string{
		"line N of its output: Server listens on port 8080", "this is no message", "standard error"}},
	"a list":           {takes: says("send", `[1, 2]`), want: []string{"line N of its output: [1, 2]", "this is no message"}},
	"a text for an id": {takes: says("send", `{"id":"7"}`), want: []string{"line N of its output: {\"id\":\"7\"}", "id is a string"}},
	"a huge line": {takes: says("send", strings.Repeat("x", 17<<20)), want: []string{
		"a line of its output is longer than 16777216 bytes"}},
	"an unknown id":   {takes: says("send", `{"id":77}`), want: []string{"there is no call 77", "the last was"}},
	"an answer twice": {takes: says("send", `{"id":2}`), want: []string{"call 2 has its answer already", "answered once"}},
	"an unknown event": {takes: says("send", `{"event":"sate","agent":"main"}`), want: []string{
		`there is no event "sate"`, "notice, permission, row, state, turn, undelivered"}},
	"an unknown agent": {takes: says("send", `{"event":"state","agent":"man","state":"idle"}`), want: []string{`there is no agent "man"`}},
	"an unknown state": {takes: says("send", `{"event":"state","agent":"main","state":"busy"}`), want: []string{
		`state is "busy"`, "idle, running, error"}},
	"an unknown kind": {takes: says("send", `{"event":"row","agent":"main","kind":"usr"}`), want: []string{
		`kind is "usr"`, "user, assistant"}},

	"starts no codex": {takes: silent("nothing"), fails: true, steps: "send = \"hello\"\n[[step]]\nawait = { held = \"g\" }\n[[reply]]\nto = \"turn\"\nhold = \"g\"\n[[step]]\nrelease = \"g\"", want: []string{
		"cannot be met any more", "has started no codex; it is to start what CODEX_BIN names"}},
	"exits": {alone: true, takes: on("send", false, func(managerCall, func(string, ...any)) error { return exitCode(3) }), want: []string{
		"exited with code 3 in the middle of the run", "its last words:\nout of cheese"}},
	"exits at once": {alone: true, takes: on("sync", false, func(managerCall, func(string, ...any)) error { return exitCode(3) }), want: []string{
		"exited with code 3 in the middle of the run", "out of cheese"}},
	"returns": {inside: true, takes: on("send", false, func(managerCall, func(string, ...any)) error { return errors.New("gave up") }), want: []string{
		"gave up, in the middle of the run"}},

	"refuses sync": {takes: on("sync", false, func(c managerCall, say func(string, ...any)) error {
		say(`{"id":%d,"error":"what is a sync?"}`, c.ID)
		return nil
	}), want: []string{"it refuses `sync`: what is a sync?"}},
	"knows no sync": {takes: silent("sync"), want: []string{"this manager does not answer `sync`: \"create\" came after it"}},
	"answers only the first sync": {takes: func(c managerCall, _ func(string, ...any)) (bool, error) {
		return c.Call == "sync" && c.ID > 1, nil
	}, deadline: 200 * time.Millisecond, want: []string{"deadline", "has not answered `sync` (call ", "it is to be answered at once, since no codex was started"}},

	"knows no create": {takes: silent("create"), deadline: 200 * time.Millisecond, want: []string{"deadline", "has not answered `create` of agent main (call 2)"}},
	"refuses create": {takes: on("create", false, func(c managerCall, say func(string, ...any)) error {
		say(`{"id":%d,"error":"no license"}`, c.ID)
		return nil
	}), want: []string{"agent main: the manager", "create: no license"}},
	"knows no send": {takes: silent("send"), fails: true, want: []string{"the manager has not answered the send", "has not answered `send` of agent main"}},
	"knows no compact": {takes: silent("compact"), fails: true, steps: "compact = true", want: []string{
		"this manager does not answer `compact`"}},
	"waits for a compaction that does not come": {takes: silent("compact"), fails: true, steps: "compact = true\n[[reply]]\nto = \"compaction\"\nsay = \"s\"\n[[step]]\nawait = { compactions = { started = 1 } }", want: []string{
		"cannot be met any more", "has not answered `compact` of agent main"}},
	"refuses compact": {takes: on("compact", false, func(c managerCall, say func(string, ...any)) error {
		say(`{"id":%d,"error":"this manager has no compact"}`, c.ID)
		return nil
	}), fails: true, steps: "compact = true", want: []string{"this manager has no compact"}},
	"knows no interrupt": {takes: silent("interrupt"), fails: true, steps: "interrupt = true", want: []string{"this manager does not answer `interrupt`"}},
	"knows no set":       {takes: silent("set"), fails: true, steps: `set = { model = "m" }`, want: []string{"this manager does not answer `set`"}},
	"has no conversation to resume": {takes: silent("resume"), fails: true, steps: "resume = true", want: []string{
		"the agent has no conversation to go on with yet"}},

	"floods standard error": {alone: true, passes: true, takes: on("send", true, func(managerCall, func(string, ...any)) error {
		for range 100_000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 20))
		}
		return nil
	})},
	"never exits": {alone: true, patience: 50 * time.Millisecond, takes: on("the end", true, func(managerCall, func(string, ...any)) error { select {} }), want: []string{
		"did not exit within", "of the end of its input"}},
	"leaves children": {alone: true, passes: true, takes: on("send", true, func(managerCall, func(string, ...any)) error {
		return exec.Command("setsid", "sleep", "1000").Start()
	})},
}
