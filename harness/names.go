package harness

import (
	"bytes"
	"image"
	"image/png"
	"regexp"
	"strings"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/plan"
)

// names are what may stand in texts and be known only when the run is: ${n} is
// the provider's own.
var names = regexp.MustCompile(`\$\{[A-Za-z0-9_.-]+\}`)

// expandName resolves workspace, hold.NAME and agent.NAME.KEY.
func (e *Env) expandName(_, name string) (string, bool) {
	if name == "workspace" {
		return e.workspace(), true
	}
	kind, rest, _ := strings.Cut(name, ".")
	switch kind {
	case "agent":
		who, what, _ := strings.Cut(rest, ".")
		return e.agentName(who, what)
	case "hold":
		return e.holds.command(rest), true
	}
	return "", false
}

func (e *Env) agentName(who, what string) (string, bool) {
	a := e.agent(who)
	switch {
	case a == nil:
		return "", false
	case what == "id":
		return a.id, true
	case what == "thread":
		return e.subject.thread(a), true
	case what == "turn":
		return e.runningTurn(a), true
	}
	return "", false
}

// runningTurn is codex's id of the turn that runs on the agent's thread, "" for
// none.
func (e *Env) runningTurn(a *agent) (id string) {
	thread := e.subject.thread(a)
	e.log.View(func([]eventlog.Event) { id = e.run.Agent(a.name).RunningTurn(thread) })
	return id
}

// contentBytes is what a file is to hold.
func contentBytes(c plan.Content, expand func(string) string) []byte {
	if c.PNG == nil {
		return []byte(expand(c.Text))
	}
	var b bytes.Buffer
	// Encoding into memory fails only for pictures without a pixel, which the
	// plan refuses.
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, c.PNG[0], c.PNG[1])))
	return b.Bytes()
}
