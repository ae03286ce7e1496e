package tape

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// act does again what codex did.
func (s *process) act(i int, l Line) {
	var err error
	switch l.Verb {
	case Ask:
		err = s.ask(l)
	case Leave:
		s.streams[l.number()].leave()
	case Stand:
		if s.p.Stand != nil {
			s.p.Stand(l.Name, func() { s.post(func() { s.released(l.Name) }) })
		}
	default:
		err = s.say(l)
	}
	if err != nil {
		s.depart(i, "%s: %v", s.describe(i), err)
	}
}

// say hands a message to the manager.
func (s *process) say(l Line) error {
	data, err := show(l.Data, shower(s.places, s.bound))
	if err != nil {
		return err
	}
	m := jsonrpc.Message{Method: l.Name}
	switch l.Verb {
	case Call:
		m.ID, m.Params = json.RawMessage(strconv.Itoa(l.N)), data
	case Note:
		m.Params = data
	case Answer:
		m.ID, m.Result = s.ids[l.N], data
	case Error:
		m.ID, m.Error = s.ids[l.N], &jsonrpc.Error{}
		err = json.Unmarshal(data, m.Error)
	}
	if err == nil {
		s.cb.Line(m.Line())
	}
	return err
}

// ask makes a request.
func (s *process) ask(l Line) error {
	data, err := show(l.Data, shower(s.places, s.bound))
	if err != nil {
		return err
	}
	var w Wire
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	if !l.Tools {
		s.p.learn(w.Body, l.Name)
	}
	h := s.handler
	if l.Tools {
		h = s.tools
	}
	if h == nil {
		return errors.New("nobody is there to answer it: this run has none of the manager's tools")
	}
	st := s.streams[l.number()]
	ctx, cancel := context.WithCancel(context.Background())
	st.cancel, st.ended, st.asked = cancel, make(chan struct{}), w.Body
	s.opened(+1)
	if w.Connection > 0 && len(w.Body) > 0 {
		return s.askSocket(st, w)
	}
	r, err := newRequest(ctx, w, w.Body)
	if err != nil {
		return err
	}
	a := &answer{header: http.Header{}, post: st.post, stream: !l.Tools && !st.hasBody()}
	go func() {
		defer close(st.ended)
		serve(h, r, a)
	}()
	return nil
}

func (s *process) opened(delta int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open += delta
}

// depart ends the process where the run parts from its recording; nothing that
// would follow is done.
func (s *process) depart(line int, format string, args ...any) {
	if s.ended {
		return
	}
	d := &Departure{Agent: s.sec.Agent, Line: line + 1, Text: fmt.Sprintf(format, args...)}
	if s.p.Departed != nil {
		s.p.Departed(d)
	}
	s.exit(codex.Exit{Code: -1, Err: d})
}

// end is asked for by the manager. All that was recorded before it must have
// been done by now.
func (s *process) end(how string) {
	if i := s.leftover(); i >= 0 && s.p.Departed != nil {
		s.p.Departed(&Departure{Agent: s.sec.Agent, Line: i + 1, Text: fmt.Sprintf("codex is asked to end (%s), and the recording goes on with %s", how, s.describe(i))})
	}
	e := codex.Exit{Code: s.sec.Exit.Code, Signal: s.sec.Exit.Signal}
	if how != s.sec.Exit.Asked {
		e = codex.Exit{}
		if how == "kill" {
			e = codex.Exit{Code: -1, Signal: "killed"}
		}
	}
	s.exit(e)
}

// leftover is the first line that was neither done nor told; -1: none. What the
// provider still has to send was not waited for.
func (s *process) leftover() int {
	for i, l := range s.sec.Lines {
		if !s.done[i] && l.Mark != Provider {
			return i
		}
	}
	return -1
}

func (s *process) exit(e codex.Exit) {
	s.ended = true
	s.note(wait{-1, -1})
	for _, st := range s.streams {
		st.leave()
	}
	for _, c := range s.sockets {
		c.close()
	}
	s.cb.Exit(e)
}

// describe names a line for people.
func (s *process) describe(i int) string {
	l := s.sec.Lines[i]
	var what string
	switch l.Verb {
	case Call, Note:
		what = l.Name
	case Answer, Error:
		what = fmt.Sprintf("%s to %s", l.Verb, s.callName(l))
	case Ask:
		what = fmt.Sprintf("request %s (%s)", l.number(), l.Name)
	case Event:
		what = fmt.Sprintf("%s of the answer to request %s", l.Name, l.number())
	case Leave:
		what = "cut of request " + l.number()
	case Stand:
		what = "tool standing at gate " + l.Name
	case Release:
		what = "release of gate " + l.Name
	}
	return fmt.Sprintf("act %d, %s %s", i+1, l.who(), strings.TrimSpace(what))
}

// who does what the line tells.
func (l Line) who() string {
	switch {
	case l.Mark == Manager, l.Mark == Provider && l.Tools:
		return "the manager's"
	case l.Mark == Provider:
		return "the provider's"
	case l.Mark == Gate:
		return "the step's"
	}
	return "codex's"
}

func (s *process) callName(answer Line) string {
	for _, l := range s.sec.Lines {
		if l.Verb == Call && l.N == answer.N && l.Mark != answer.Mark {
			return l.Name
		}
	}
	return "call " + strconv.Itoa(answer.N)
}
