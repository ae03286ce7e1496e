package codex

import (
	"encoding/json"
	"slices"

	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// parcel is one message on its way, or the end of the process.
type parcel struct {
	method, what string
	id           json.RawMessage
	line         []byte
	exit         *Exit
}

// wireProcess is a process with a lane each way.
type wireProcess struct {
	wire      *Wire
	agent     string
	inner     Process
	early     [][]byte // lines to codex that wait for the end of its start
	callbacks Callbacks
	toCodex   lane
	toClient  lane
	ended     bool // by a rule: codex says nothing more
}

// end kills a process that a rule has ended. It may have spoken before its start
// was through, and is killed then.
func (p *wireProcess) end() {
	p.wire.mu.Lock()
	inner := p.inner
	p.wire.mu.Unlock()
	if inner != nil {
		inner.Kill()
	}
}

// Write implements Process.
func (p *wireProcess) Write(line []byte) {
	p.wire.change(func() { p.toCodex.arrive(p.parcel(line, &p.toCodex, &p.toClient)) })
}

// Close implements Process. What the wire still holds is of no use then.
func (p *wireProcess) Close() { p.inner.Close() }

// Kill implements Process.
func (p *wireProcess) Kill() { p.inner.Kill() }

func (p *wireProcess) line(line []byte) {
	own := slices.Clone(line)
	p.wire.change(func() {
		if !p.ended {
			p.toClient.arrive(p.parcel(own, &p.toClient, &p.toCodex))
		}
	})
}

func (p *wireProcess) exit(e Exit) {
	p.wire.change(func() {
		p.toCodex.drop()
		p.toClient.arrive(parcel{method: "exit", what: "notification", exit: &e})
	})
}

// parcel reads a line. Requests are remembered on their lane, so that the
// replies that come the other way have a method too.
func (p *wireProcess) parcel(line []byte, lane, back *lane) parcel {
	out := parcel{line: line}
	msg, err := jsonrpc.Parse(line)
	if err != nil {
		return out // garbage matches no rule but "*"
	}
	out.what, out.method, out.id = msg.Kind().String(), msg.Method, msg.ID
	switch msg.Kind() {
	case jsonrpc.Request:
		if lane.requests == nil {
			lane.requests = map[string]string{}
		}
		lane.requests[string(msg.ID)] = msg.Method
	case jsonrpc.Reply:
		out.method = back.requests[string(msg.ID)]
	}
	return out
}
