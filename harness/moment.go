package harness

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/judge"
	"github.com/heldstream/heldstream/harness/plan"
)

// stepError is a step that could not do what it says, and how everything stood
// then: once the run is closed, nobody can tell.
type stepError struct {
	step plan.Step
	err  error
	at   moment
}

func (s *stepError) Error() string { return s.err.Error() }
func (s *stepError) Unwrap() error { return s.err }

// moment is how a run stands.
type moment struct {
	unsettled      string // what it waits for that nobody holds; "": nothing
	held, inFlight []string
	rows           map[string]int // rows of each agent's timeline
	words          string         // the end of codex's stderr, and of the wire
}

// now takes how the run stands.
func (e *Env) now() moment {
	m := moment{rows: map[string]int{}, words: e.lastWords()}
	e.log.View(func([]eventlog.Event) {
		m.unsettled = e.run.Unsettled()
		m.held, m.inFlight = e.run.Held(), e.run.InFlight()
		for name, a := range e.run.Agents {
			m.rows[name] = len(judge.Rows(a))
		}
	})
	return m
}

// quiet: nothing is held and nothing under way, so there is nothing to tell.
func (m moment) quiet() bool { return len(m.held)+len(m.inFlight) == 0 }

// gates says what is held, and what is under way, a line each.
func (m moment) gates() string {
	held, inFlight := m.held, m.inFlight
	if len(held) == 0 {
		held = []string{"no gate holds anything"}
	}
	if len(inFlight) == 0 {
		inFlight = []string{"nothing"}
	}
	return strings.Join(held, "\n") + "\nunder way: " + strings.Join(inFlight, "\nunder way: ")
}

// lastWords are the end of codex's stderr and of the wire, for who must find out
// why nothing more comes.
func (e *Env) lastWords() string {
	var b strings.Builder
	e.log.View(func([]eventlog.Event) {
		for _, name := range e.run.Order {
			a := e.run.Agents[name]
			if a.Exit != nil {
				fmt.Fprintf(&b, "\ncodex of agent %s has exited (%s)", name, exitText(*a.Exit))
			}
			if tail := lastLines(a.Stderr, 5); tail != "" {
				fmt.Fprintf(&b, "\nstderr of agent %s:\n%s", name, tail)
			}
		}
	})
	if open := e.undone(); open != "" {
		b.WriteString("\n" + open)
	}
	if wire := e.lastWire(6); wire != "" {
		b.WriteString("\nthe wire's last lines:\n" + wire)
	}
	return b.String()
}

// colors are what codex paints its stderr with.
var colors = regexp.MustCompile("\x1b\\[[0-9;]*m")

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(colors.ReplaceAllString(text, "")), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

func (e *Env) lastWire(n int) string {
	var lines []string
	for _, ev := range e.log.Events() {
		switch b := ev.Body.(type) {
		case eventlog.ToCodex:
			lines = append(lines, "> "+cut(b.Line))
		case eventlog.FromCodex:
			lines = append(lines, "< "+cut(b.Line))
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// cut leaves of a wire line what fits beside the indent of a report.
func cut(line []byte) string {
	const most = 66
	if r := []rune(string(line)); len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(line)
}
