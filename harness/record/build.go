package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/reading"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// build makes a tape of what happened.
func build(head tape.Head, entries []entry, rollout map[string]bool, texts []string) (*tape.Tape, error) {
	head.Recorder = tape.Recorder
	sections, err := split(entries)
	if err != nil {
		return nil, err
	}
	names := newNames()
	for _, s := range sections {
		names.learn(s)
	}
	t := &tape.Tape{Head: head}
	for _, s := range sections {
		out, err := s.write(names, rollout, texts)
		if err != nil {
			return nil, err
		}
		t.Sections = append(t.Sections, out)
	}
	return t, nil
}

// section is what happened around one process.
type section struct {
	agent   string
	places  tape.Places
	acts    []*act
	exit    tape.Exit
	rollout []any

	over     bool // asked to end, or gone: what follows is not codex's doing
	calls    map[[2]string]*act
	requests map[asking]*act
}

// asking is the id of a request: the log's, or the recorder's own of one to the
// manager's tools.
type asking struct {
	tools bool
	id    int
}

// act is one line in the making.
type act struct {
	line   tape.Line
	id     string // JSON-RPC id, as it was
	value  any    // params, result or error; of a request the Wire
	raw    []byte // of an event
	body   []byte // of a request
	of     *act   // the call of an answer, the request of an event
	thread string // codex's id of it
	done   bool   // of a request: ended, broken or left
	socket bool   // of a request: over a WebSocket
	whole  bool   // of one over a WebSocket, which has no ends: the last event was sent
}

// split gives each process what concerns it.
func split(entries []entry) ([]*section, error) {
	var all []*section
	byProcess, byAgent, byRequest := map[int]*section{}, map[string]*section{}, map[asking]*section{}
	for _, e := range entries {
		if w, ok := e.what.(spawned); ok {
			s := &section{agent: e.agent, places: w.places, calls: map[[2]string]*act{}, requests: map[asking]*act{}}
			all = append(all, s)
			byProcess[e.process], byAgent[e.agent] = s, s
			continue
		}
		s := byProcess[e.process]
		switch w := e.what.(type) {
		case eventlog.Request:
			s = byAgent[e.agent]
			byRequest[asking{id: w.ID}] = s
		case eventlog.Sent:
			s = byRequest[asking{id: w.ID}]
		case eventlog.Gone:
			s = byRequest[asking{id: w.ID}]
		case eventlog.Ended:
			s = byRequest[asking{id: w.ID}]
		case asked:
			s = byAgent[e.agent]
			byRequest[w.id] = s
		case answered:
			s = byRequest[w.id]
		case left:
			s = byRequest[w.id]
		case eventlog.Rollout:
			s = byAgent[e.agent]
		case eventlog.ToolHeld:
			s = withTool(all, w.Gate)
		case eventlog.ToolReleased:
			s = withTool(all, w.Gate)
		}
		if s == nil {
			continue // of no codex that was recorded
		}
		if err := s.take(e.what); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// withTool is the process that was last told to run the command of a gate.
func withTool(all []*section, gate string) *section {
	for _, s := range slices.Backward(all) {
		for _, a := range s.acts {
			if bytes.Contains(a.raw, []byte(reading.HoldFile(gate))) {
				return s
			}
		}
	}
	return nil
}

func (s *section) take(what any) error {
	switch w := what.(type) {
	case exited:
		if !s.over {
			s.over = true
			s.exit = tape.Exit{Stderr: w.exit.Stderr}
		}
		s.exit.Code, s.exit.Signal = w.exit.Code, w.exit.Signal
		return nil
	case eventlog.Rollout:
		return s.takeRollout(w)
	}
	if s.over {
		return nil
	}
	switch w := what.(type) {
	case ending:
		s.over, s.exit.Asked = true, w.how
	case told:
		return s.message(tape.Manager, w.line)
	case said:
		return s.message(tape.Codex, w.line)
	case eventlog.ToolHeld:
		s.acts = append(s.acts, &act{line: tape.Line{Mark: tape.Codex, Verb: tape.Stand, Name: w.Gate}})
	case eventlog.ToolReleased:
		s.acts = append(s.acts, &act{line: tape.Line{Mark: tape.Gate, Verb: tape.Release, Name: w.Gate}})
	case eventlog.Request:
		return s.request(w)
	case eventlog.Sent:
		s.event(asking{id: w.ID}, w.What, w.Data)
	case eventlog.Gone:
		s.leave(asking{id: w.ID})
	case eventlog.Ended:
		if q := s.requests[asking{id: w.ID}]; q != nil && !q.done && !q.whole {
			s.event(asking{id: w.ID}, tape.Broken, nil)
		}
	case asked:
		return s.asked(w)
	case answered:
		s.event(w.id, tape.Headers, nil)
		s.event(w.id, tape.Body, w.body)
		s.event(w.id, tape.End, nil)
	case left:
		s.leave(w.id)
	}
	return nil
}

// message takes a line of the wire.
func (s *section) message(mark tape.Mark, line []byte) error {
	m, err := jsonrpc.Parse(line)
	if err != nil {
		return fmt.Errorf("agent %s: a line that is no message cannot be played: %.80q", s.agent, line)
	}
	a := &act{line: tape.Line{Mark: mark, Verb: tape.Note, Name: m.Method}, id: string(m.ID)}
	data := m.Params
	switch m.Kind() {
	case jsonrpc.Request:
		a.line.Verb, a.line.N = tape.Call, s.count(mark)
		s.calls[[2]string{string(mark), a.id}] = a
	case jsonrpc.Reply:
		data = m.Result
		a.line.Verb = tape.Answer
		if m.Error != nil {
			a.line.Verb = tape.Error
			data, _ = tape.Encode(m.Error)
		}
		other := tape.Manager
		if mark == tape.Manager {
			other = tape.Codex
		}
		if a.of = s.calls[[2]string{string(other), a.id}]; a.of == nil {
			return fmt.Errorf("agent %s: an answer to no call cannot be played: %.80q", s.agent, line)
		}
		a.line.N = a.of.line.N
	}
	if len(data) > 0 {
		if a.value, err = tape.Decode(data); err != nil {
			return err
		}
		a.value = unfold(a.value)
	}
	s.acts = append(s.acts, a)
	return nil
}

// count numbers the calls of a side.
func (s *section) count(mark tape.Mark) int {
	n := 1
	for _, a := range s.acts {
		if a.line.Verb == tape.Call && a.line.Mark == mark {
			n++
		}
	}
	return n
}

func (s *section) request(w eventlog.Request) error {
	wire, err := wireOf(w.Method, w.Path, w.Header, w.Payload)
	if err != nil {
		return fmt.Errorf("agent %s: request %d: %w", s.agent, w.ID, err)
	}
	a := &act{line: tape.Line{Mark: tape.Request, Verb: tape.Ask, Name: w.Class}, value: wire, body: w.Payload, thread: w.Thread}
	if a.socket = w.Transport == "websocket" && w.Connection > 0; a.socket {
		wire["connection"] = json.Number(fmt.Sprint(w.Connection))
	}
	s.ask(asking{id: w.ID}, a)
	return nil
}

// ask adds a request, numbered among those of its kind.
func (s *section) ask(id asking, a *act) {
	a.line.N, a.line.Tools = 1, id.tools
	for other := range s.requests {
		if other.tools == id.tools {
			a.line.N++
		}
	}
	s.requests[id] = a
	s.acts = append(s.acts, a)
}

func wireOf(method, path string, header http.Header, payload []byte) (map[string]any, error) {
	wire := map[string]any{"method": method, "path": path}
	if h := headers(header); len(h) > 0 {
		wire["header"] = h
	}
	if len(payload) > 0 {
		body, err := tape.Decode(payload)
		if err != nil {
			return nil, err
		}
		wire["body"] = unfold(body)
	}
	return wire, nil
}

// terminal are the events that end an answer; session.updated is the whole one of
// the realtime server.
var terminal = map[string]bool{
	"response.completed": true, "response.failed": true, "response.incomplete": true, "session.updated": true, tape.Body: true,
}

func (s *section) event(id asking, what string, data []byte) {
	s.follow(id, tape.Line{Mark: tape.Provider, Verb: tape.Event, Name: what}, data)
}

func (s *section) leave(id asking) {
	s.follow(id, tape.Line{Mark: tape.Cut, Verb: tape.Leave}, nil)
}

// follow adds what belongs to a request. After its end nothing does, and what
// becomes of a WebSocket after a whole answer concerns the next request.
func (s *section) follow(id asking, l tape.Line, raw []byte) {
	q := s.requests[id]
	if q == nil || q.done || q.whole && l.Name == tape.Broken {
		return
	}
	if l.Name == tape.Body {
		raw = tape.GivenBack(raw, q.body)
	}
	q.whole = q.socket && terminal[l.Name]
	q.done = l.Verb == tape.Leave || l.Name == tape.End || l.Name == tape.Broken
	l.N, l.Tools = q.line.N, q.line.Tools
	s.acts = append(s.acts, &act{line: l, raw: raw, of: q})
}

func (s *section) takeRollout(w eventlog.Rollout) error {
	s.rollout = nil
	for _, line := range w.Lines {
		v, err := tape.Decode(line)
		if err != nil {
			return fmt.Errorf("agent %s: rollout: %w", s.agent, err)
		}
		s.rollout = append(s.rollout, unfold(v))
	}
	return nil
}

// write gives the lines of a section their final form.
func (s *section) write(n *names, rollout map[string]bool, texts []string) (tape.Section, error) {
	out := tape.Section{Agent: s.agent, Exit: s.exit}
	w := newWriter(n, s)
	for _, text := range texts {
		w.spoken[text] = true
	}
	out.Exit.Stderr = w.text(s.exit.Stderr)
	for _, a := range s.acts {
		l, err := w.line(a)
		if err != nil {
			return out, err
		}
		out.Lines = append(out.Lines, l)
	}
	for _, v := range s.rollout {
		if line, _ := v.(map[string]any); !rollout[fmt.Sprint(line["type"])] {
			continue
		}
		data, err := w.value(v)
		if err != nil {
			return out, err
		}
		out.Rollout = append(out.Rollout, data)
	}
	return out, nil
}
