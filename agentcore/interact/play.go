package interact

import (
	"bytes"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
)

func (p *player) special(c *command) {
	switch c.special {
	case "store":
		p.hold, p.fail = c.or(1, "") == "hold", c.or(1, "") == "fail"
		if !p.hold {
			p.settle()
		}
	case "state":
		p.writeLine(describeState(p.machine.Snapshot()))
	case "queue":
		for _, h := range p.machine.Snapshot().Queued {
			p.writeLine("queued " + h.ClientID)
		}
	}
}

func (p *player) writeLine(line string) {
	if p.out != nil && line != "" {
		p.out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func (p *player) write(e agentcore.Effect) {
	if p.out != nil {
		p.writeLine(describe(e, p.names))
	}
}

// Play plays a transcript and returns it with what came of each input. Lanes
// have no meaning here: the inputs are played as they stand.
func Play(name string, data []byte) ([]byte, error) {
	s, err := newScript(name, data)
	if err != nil {
		return nil, err
	}
	var out, did bytes.Buffer
	for _, b := range s.heads {
		writeInput(&out, b)
	}
	p := newPlayer(s.settings)
	p.out, p.check = &did, newChecker()
	for i := range s.commands {
		c := &s.commands[i]
		did.Reset()
		if missing := p.play(c); missing != "" {
			did.WriteString("not possible: " + missing + "\n")
		}
		for _, f := range p.check.takeFaults() {
			did.WriteString("VIOLATED " + f.String() + "\n")
		}
		if out.Len() > 0 {
			out.WriteString("\n")
		}
		writeInput(&out, c.block)
		out.WriteString("----\n")
		out.Write(did.Bytes())
	}
	for _, t := range s.tail {
		out.WriteString("\n" + t + "\n")
	}
	return out.Bytes(), nil
}

func writeInput(out *bytes.Buffer, b block) {
	for _, r := range b.remarks {
		out.WriteString(r + "\n")
	}
	out.WriteString(b.line + "\n")
}
