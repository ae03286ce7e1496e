package tape

import (
	"encoding/json"
	"strconv"

	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// took compares a line of the manager with the recorded one.
func (s *process) took(line []byte) {
	m, err := jsonrpc.Parse(line)
	if err != nil {
		s.depart(-1, "the manager says %.200q: %v", line, err)
		return
	}
	data := m.Params
	if m.Kind() == jsonrpc.Reply {
		data = m.Result
		if m.Error != nil {
			data = mustJSON(m.Error)
		}
	}
	var got any
	if len(data) > 0 {
		if got, err = Decode(data); err != nil {
			s.depart(-1, "the manager's %s: %v", m.Method, err)
			return
		}
	}
	got = HideIn(got, s.hide)
	i := s.expected(m, got)
	if i < 0 {
		s.depart(-1, "the manager says %s, and nothing more was recorded of it%s", spoken(m), ofThread(threadOf(got)))
		return
	}
	if why := s.compare(m, got, s.sec.Lines[i]); why != "" {
		s.depart(i, "%s", why)
		return
	}
	if m.Kind() == jsonrpc.Request {
		s.ids[s.sec.Lines[i].N] = m.ID
	}
	s.done[i] = true
}

// HideIn hides places in all texts of a value.
func HideIn(v any, h Hide) any {
	switch v := v.(type) {
	case string:
		return h.Text(v)
	case []any:
		for i := range v {
			v[i] = HideIn(v[i], h)
		}
	case map[string]any:
		for k := range v {
			v[k] = HideIn(v[k], h)
		}
	}
	return v
}

func threadOf(params any) string {
	m, _ := params.(map[string]any)
	thread, _ := m["threadId"].(string)
	return thread
}

func ofThread(thread string) string {
	if thread == "" {
		return ""
	}
	return " for thread " + thread
}

// expected is the next recorded line of the manager in the lane of a message.
func (s *process) expected(m jsonrpc.Message, params any) int {
	reply := m.Kind() == jsonrpc.Reply
	n, _ := strconv.Atoi(string(m.ID))
	for i := s.low; i < len(s.done); i++ {
		l := s.sec.Lines[i]
		if s.done[i] || l.Mark != Manager {
			continue
		}
		isReply := l.Verb == Answer || l.Verb == Error
		if reply && isReply && l.N == n || !reply && !isReply && l.Thread == threadOf(params) {
			return i
		}
	}
	return -1
}

// compare says how a message differs from the recorded one.
func (s *process) compare(m jsonrpc.Message, got any, l Line) string {
	verb := map[jsonrpc.Kind]string{jsonrpc.Request: Call, jsonrpc.Notification: Note, jsonrpc.Reply: Answer}[m.Kind()]
	if m.Error != nil {
		verb = Error
	}
	if verb != l.Verb || m.Method != l.Name {
		return "recorded " + l.Verb + " " + l.Name + ", came " + spoken(m)
	}
	var want any
	if len(l.Data) > 0 {
		var err error
		if want, err = Decode(l.Data); err != nil {
			return err.Error()
		}
	}
	path := map[string]string{Call: "params", Note: "params", Answer: "result", Error: "error"}[verb]
	if why := s.bound.differ(path, "", want, got); why != "" {
		return spoken(m) + ", " + why
	}
	return ""
}

func spoken(m jsonrpc.Message) string {
	switch m.Kind() {
	case jsonrpc.Request:
		return "call " + m.Method
	case jsonrpc.Notification:
		return "note " + m.Method
	}
	kind := "the answer"
	if m.Error != nil {
		kind = "the error"
	}
	return kind + " to codex's call " + string(m.ID)
}

// released marks the release of a gate at which a tool stands.
func (s *process) released(gate string) {
	for i, l := range s.sec.Lines {
		if !s.done[i] && l.Verb == Release && l.Name == gate {
			s.done[i] = true
			return
		}
	}
}

// stream is one request and its answer.
type stream struct {
	s      *process
	line   int    // of the request
	events []int  // lines of what was told
	cut    int    // line; -1: none
	next   int    // into events
	asked  []byte // body of the request
	cancel func()
	ended  chan struct{} // who was asked is done with it
	socket *socket       // it came over; nil: HTTP
	over   bool
}

// hasBody reports whether the answer was one body, and no stream of events.
func (st *stream) hasBody() bool {
	for _, i := range st.events {
		if st.s.sec.Lines[i].Name == Body {
			return true
		}
	}
	return false
}

// post hands on what is answered. Each frame is looked at by itself, so
// that it does not matter how they share a write.
func (st *stream) post(frames []frame) {
	for _, f := range frames {
		f.data = append([]byte(nil), f.data...)
		st.s.post(func() { st.took(f) })
	}
}

// took compares a frame with the recorded one.
func (st *stream) took(f frame) {
	if st.over {
		return
	}
	s := st.s
	if st.next == len(st.events) {
		if st.cut < 0 { // else what comes between telling and cutting is chance
			s.depart(-1, "%s: the answer goes on with %s, one event more than recorded", s.describe(st.line), f.name)
		}
		return
	}
	if f.name == Broken && st.halfSent() {
		s.done[st.events[st.next]] = true
		st.next++
	}
	i := st.events[st.next]
	if s.sec.Lines[i].Name == Body {
		f.data = GivenBack(f.data, st.asked)
	}
	if why := f.differs(s.sec.Lines[i], s.hide); why != "" {
		s.depart(i, "%s: %s; %s", s.describe(st.line), why, cause(s.sec.Lines[i]))
		return
	}
	s.done[i] = true
	st.next++
	if f.last(st.socket != nil) {
		st.finish()
	}
}

// halfSent: the provider broke the connection in the middle of an event, which
// was recorded as sent and never is complete.
func (st *stream) halfSent() bool {
	return st.next+1 < len(st.events) && st.s.sec.Lines[st.events[st.next+1]].Name == Broken
}

// cause is what mostly has changed where an answer is another one.
func cause(l Line) string {
	if l.Tools {
		return "the manager's tools answer otherwise"
	}
	return "the scenario's reply or its matching has changed"
}

func (f frame) differs(l Line, h Hide) string {
	if f.name != l.Name && f.name != "" && l.Name != Body {
		return "recorded event " + l.Name + ", came " + f.name
	}
	if len(l.Data) == 0 {
		return ""
	}
	if got := h.Digest(f.data); string(got) != string(l.Data) {
		return "the content of " + l.Name + " is not the recorded one, came " + brief(json.RawMessage(f.data))
	}
	return ""
}

// last reports whether nothing follows. A WebSocket has no ends.
func (f frame) last(socket bool) bool {
	switch f.name {
	case End, Broken:
		return true
	case "response.completed", "response.failed", "response.incomplete", "session.updated":
		return socket
	case "error":
		return socket && f.fails()
	}
	return false
}

// fails: codex passes an error frame without a status over.
func (f frame) fails() bool {
	var e struct {
		Status int
		Code   int `json:"status_code"`
	}
	_ = json.Unmarshal(f.data, &e)
	return e.Status != 0 || e.Code != 0
}

func (st *stream) finish() {
	if !st.over {
		st.over = true
		st.s.opened(-1)
	}
}

// leave cuts the answer, and returns when the provider knows.
func (st *stream) leave() {
	if st.ended == nil {
		return
	}
	st.finish()
	st.cancel()
	if st.socket != nil {
		st.socket.close()
	}
	<-st.ended
}
