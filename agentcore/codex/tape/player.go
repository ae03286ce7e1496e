package tape

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/heldstream/heldstream/agentcore/codex"
)

// Player plays a tape; it implements codex.Backend. Its fields are set before
// the first Start and not changed afterwards; its methods are safe for
// concurrent use.
type Player struct {
	Tape *Tape
	// Provider is the handler that an agent's requests go to, and Tools the one
	// of the manager's tools. They are called in-process.
	Provider, Tools func(agent string) http.Handler
	// Name gives the tape's name of the agent of a Command; nil: the same.
	Name func(agent string) string
	// Places are what a run has in place of the tape's placeholders.
	Places func(codex.Command) Places
	// Work counts what the player has taken in and not yet dealt with: +1 when
	// something comes, -1 when all that follows from it was handed on.
	Work func(delta int)
	// Stand is called when a tool has come to a gate of the scenario's; it does
	// not block, and calls released once the gate lets it go on.
	Stand func(gate string, released func())
	// Departed is told where the run parts from its recording, once a process.
	Departed func(*Departure)

	mu        sync.Mutex // guards what is below
	started   map[string]int
	processes []*process
	classes   map[[sha256.Size]byte]string
}

// Start implements codex.Backend: the n-th process of an agent does what the
// n-th did when it was recorded.
func (p *Player) Start(cmd codex.Command, cb codex.Callbacks) (codex.Process, error) {
	agent := cmd.Agent
	if p.Name != nil {
		agent = p.Name(agent)
	}
	sec, err := p.next(agent)
	if err != nil {
		if p.Departed != nil {
			p.Departed(err)
		}
		return nil, err
	}
	s := newProcess(p, sec, cmd, cb)
	p.mu.Lock()
	p.processes = append(p.processes, s)
	p.mu.Unlock()
	s.post(func() {}) // what codex does unasked
	return s, nil
}

func (p *Player) next(agent string) (*Section, *Departure) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started == nil {
		p.started = map[string]int{}
	}
	p.started[agent]++
	n := p.started[agent]
	for i := range p.Tape.Sections {
		if p.Tape.Sections[i].Agent == agent {
			if n--; n == 0 {
				return &p.Tape.Sections[i], nil
			}
		}
	}
	return nil, &Departure{Agent: agent, Text: fmt.Sprintf("codex is started %d times, one more than recorded", p.started[agent])}
}

// WaitsFor says what the processes wait for that have not done all they did when
// recorded; "" when none has anything left to do.
func (p *Player) WaitsFor() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, s := range p.processes {
		if text := s.waitsFor(); text != "" {
			all = append(all, "agent "+s.sec.Agent+": "+text)
		}
	}
	return strings.Join(all, "; ")
}

// Open counts the requests whose answers have neither ended nor been left.
func (p *Player) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, s := range p.processes {
		n += s.openRequests()
	}
	return n
}

// Class returns the recorded class of a request that a process has made, by its
// body.
func (p *Player) Class(body []byte) (class string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	class, ok = p.classes[sha256.Sum256(body)]
	return class, ok
}

func (p *Player) learn(body []byte, class string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.classes == nil {
		p.classes = map[[sha256.Size]byte]string{}
	}
	p.classes[sha256.Sum256(body)] = class
}

// Rollout is what the last process of an agent left of its conversation.
func (p *Player) Rollout(agent string) []json.RawMessage {
	var lines []json.RawMessage
	for _, s := range p.Tape.Sections {
		if s.Agent == agent && s.Rollout != nil {
			lines = s.Rollout
		}
	}
	return lines
}

func (p *Player) work(delta int) {
	if p.Work != nil {
		p.Work(delta)
	}
}
