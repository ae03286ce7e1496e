package codextest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// Answer gives the result of a call, or its error.
type Answer func(Call) (any, *jsonrpc.Error)

// Call is a message that the client sent: a request, a notification or the
// reply to a question.
type Call struct {
	ID     string // "" for a notification
	Method string // "" for a reply
	Params json.RawMessage
	Result json.RawMessage // of a reply
	Error  *jsonrpc.Error  // of a reply
}

// Server is a fake app-server. Its zero value works, and says that it is
// version 0.171.0. All methods are safe for concurrent use; the fields are set
// before the first process starts.
type Server struct {
	Version string
	// Answers take the place of the defaults, by method.
	Answers map[string]Answer
	// Silent are methods that never get an answer.
	Silent []string
	// Received, when set, is called with everything that comes, before it is
	// answered. It may call the other methods.
	Received func(Call)

	mu         sync.Mutex
	calls      []Call
	unexpected []string
	threads    int
	turns      int
	turn       string // the running one
	announced  bool   // the client was told that it began
	asked      int
	current    *process
	starts     int
	env        []string
}

// Start implements codex.Backend.
func (s *Server) Start(cmd codex.Command, cb codex.Callbacks) (codex.Process, error) {
	p := &process{server: s, callbacks: cb}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = p
	s.starts++
	s.turn = ""
	s.env = slices.Clone(cmd.Env)
	return p, nil
}

// process is one life of the server.
type process struct {
	server    *Server
	mu        sync.Mutex // one callback at a time; guards gone
	gone      bool
	callbacks codex.Callbacks
}

// Write implements codex.Process.
func (p *process) Write(line []byte) {
	for part := range jsonLines(line) {
		p.server.take(p, part)
	}
}

// jsonLines splits a write that joins several messages.
func jsonLines(b []byte) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		dec := json.NewDecoder(bytes.NewReader(b))
		for {
			var raw json.RawMessage
			if dec.Decode(&raw) != nil || !yield(raw) {
				return
			}
		}
	}
}

// Close implements codex.Process. The end is told later, as that of a real
// process is: the caller may be inside a callback.
func (p *process) Close() { go p.exit(codex.Exit{}) }

// Kill implements codex.Process.
func (p *process) Kill() { go p.exit(codex.Exit{Code: -1, Signal: "killed"}) }

func (p *process) exit(e codex.Exit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		p.gone = true
		p.callbacks.Exit(e)
	}
}

func (p *process) say(line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		p.callbacks.Line(line)
	}
}

func (s *Server) take(p *process, line []byte) {
	msg, err := jsonrpc.Parse(line)
	if err != nil {
		s.note("garbage: " + string(line))
		return
	}
	c := Call{ID: string(msg.ID), Method: msg.Method, Params: msg.Params, Result: msg.Result, Error: msg.Error}
	s.mu.Lock()
	s.calls = append(s.calls, c)
	s.mu.Unlock()
	if s.Received != nil {
		s.Received(c)
	}
	if msg.Kind() != jsonrpc.Request || slices.Contains(s.Silent, c.Method) {
		return
	}
	for _, line := range s.answer(c) {
		p.say(line)
	}
}

// answer makes the reply, and what follows it.
func (s *Server) answer(c Call) [][]byte {
	answer := s.Answers[c.Method]
	if answer == nil {
		answer = s.Defaults()[c.Method]
	}
	if answer == nil {
		s.note(c.Method)
		return [][]byte{errorLine(c.ID, jsonrpc.MethodNotFound, "codextest does not know "+c.Method)}
	}
	result, fault := answer(c)
	if fault != nil {
		return [][]byte{errorLine(c.ID, fault.Code, fault.Message, fault.Data)}
	}
	return append([][]byte{Reply(c.ID, result)}, s.follow(c, result)...)
}

func errorLine(id string, code int, message string, data ...json.RawMessage) []byte {
	e := &jsonrpc.Error{Code: code, Message: message}
	if len(data) > 0 {
		e.Data = data[0]
	}
	return jsonrpc.Message{ID: json.RawMessage(id), Error: e}.Line()
}

// Reply is a reply as a line.
func Reply(id string, result any) []byte {
	return jsonrpc.Message{ID: json.RawMessage(id), Result: raw(result)}.Line()
}

func raw(v any) json.RawMessage {
	b, err := jsonrpc.Raw(v)
	if err != nil {
		panic(fmt.Sprintf("codextest: %T is no JSON: %v", v, err))
	}
	return b
}

func (s *Server) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unexpected = append(s.unexpected, what)
}

// Unexpected lists what the server did not know.
func (s *Server) Unexpected() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.unexpected)
}

// Calls lists what the client sent with this method ("": replies), in order.
func (s *Server) Calls(method string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Call
	for _, c := range s.calls {
		if c.Method == method {
			out = append(out, c)
		}
	}
	return out
}

// Starts is how many processes were started.
func (s *Server) Starts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.starts
}

// Thread and Turn are the ids of the thread and of the running turn.
func (s *Server) Thread() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return threadID(s.threads)
}

// Turn is the id of the running turn, "" when there is none.
func (s *Server) Turn() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn
}

// running is the id of a turn that has begun.
func (s *Server) running() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.announced {
		return ""
	}
	return s.turn
}

func (s *Server) process() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// Print says a line as it is.
func (s *Server) Print(line string) { s.process().say([]byte(line)) }

// Notify sends a notification. A threadId that is left out is the thread's.
func (s *Server) Notify(method string, params map[string]any) {
	p := maps.Clone(params)
	if p == nil {
		p = map[string]any{}
	}
	if _, ok := p["threadId"]; !ok {
		p["threadId"] = s.Thread()
	}
	s.process().say(jsonrpc.Message{Method: method, Params: raw(p)}.Line())
}

// Ask sends a request of the server's own, and returns its id.
func (s *Server) Ask(method string, params map[string]any) string {
	s.mu.Lock()
	s.asked++
	id := fmt.Sprint(1000 + s.asked)
	s.mu.Unlock()
	p := maps.Clone(params)
	if p == nil {
		p = map[string]any{}
	}
	if _, ok := p["threadId"]; !ok {
		p["threadId"] = s.Thread()
	}
	s.process().say(jsonrpc.Message{ID: json.RawMessage(id), Method: method, Params: raw(p)}.Line())
	return id
}

// Crash ends the process by itself.
func (s *Server) Crash(e codex.Exit) { s.process().exit(e) }

// Serve runs s over a pair of pipes until in ends.
func Serve(s *Server, in io.Reader, out io.Writer) error {
	var mu sync.Mutex
	var fault error
	p, _ := s.Start(codex.Command{}, codex.Callbacks{
		Line: func(line []byte) {
			mu.Lock()
			defer mu.Unlock()
			if _, err := out.Write(append(slices.Clone(line), '\n')); err != nil {
				fault = err
			}
		},
		Exit: func(codex.Exit) {},
	})
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		p.Write(lines.Bytes())
	}
	mu.Lock()
	defer mu.Unlock()
	if fault == nil {
		fault = lines.Err()
	}
	return fault
}
