package harness

import (
	"bytes"
	"image"
	"image/png"
	"regexp"
	"strings"

	"github.com/heldstream/heldstream/harness/plan"
)

// names are what may stand in texts and be known only when the run is: ${n} is
// the provider's own.
var names = regexp.MustCompile(`\$\{[A-Za-z0-9_.-]+\}`)

// expandName resolves workspace, agent.NAME.id, agent.NAME.thread and hold.NAME.
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
		return a.thread(e), true
	}
	return "", false
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
