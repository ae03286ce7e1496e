package tape

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/internal/inbox"
)

// process plays one section.
type process struct {
	p       *Player
	sec     *Section
	cb      codex.Callbacks
	places  Places
	hide    Hide
	handler http.Handler // the provider
	tools   http.Handler // the manager's

	inbox inbox.Inbox[func()]

	mu   sync.Mutex // guards what stands up to the blank line
	wait wait
	open int

	// Touched only by the inbox.
	done    []bool
	low     int // all before it is done
	groups  int
	bound   bindings
	ids     map[int]json.RawMessage // of the manager's calls, by their numbers
	streams map[string]*stream      // by the numbers of the requests
	sockets map[int]*socket
	ended   bool
}

// wait is what keeps a process from going on: the act and what it waits for, as
// indices of lines; -1 for none.
type wait struct{ act, on int }

func newProcess(p *Player, sec *Section, cmd codex.Command, cb codex.Callbacks) *process {
	s := &process{
		p: p, sec: sec, cb: cb, done: make([]bool, len(sec.Lines)), bound: bindings{},
		ids: map[int]json.RawMessage{}, streams: map[string]*stream{}, sockets: map[int]*socket{}, wait: wait{-1, -1},
	}
	s.inbox.Handle = s.take
	if p.Places != nil {
		s.places = p.Places(cmd)
	}
	s.hide = NewHide(s.places)
	if p.Provider != nil {
		s.handler = p.Provider(sec.Agent)
	}
	if p.Tools != nil {
		s.tools = p.Tools(sec.Agent)
	}
	groups := map[string]bool{}
	for i, l := range sec.Lines {
		groups[group(l.Thread)] = true
		switch l.Verb {
		case Ask:
			s.streams[l.number()] = &stream{s: s, line: i, cut: -1}
		case Event:
			st := s.streams[l.number()]
			st.events = append(st.events, i)
		case Leave:
			s.streams[l.number()].cut = i
		}
	}
	delete(groups, "")
	s.groups = len(groups)
	return s
}

// group is whose told lines an act waits for: those of its own thread and of the
// threads that its thread and its parents have spawned, which are named after
// them.
func group(thread string) string {
	root, _, _ := strings.Cut(thread, ".")
	return root
}

// Write implements codex.Process.
func (s *process) Write(line []byte) {
	own := append([]byte(nil), line...)
	s.post(func() { s.took(own) })
}

// Close implements codex.Process.
func (s *process) Close() { s.post(func() { s.end("close") }) }

// Kill implements codex.Process.
func (s *process) Kill() { s.post(func() { s.end("kill") }) }

func (s *process) post(do func()) {
	s.p.work(+1)
	s.inbox.Put(do)
}

func (s *process) take(do func()) {
	if !s.ended {
		do()
		s.advance()
	}
	s.p.work(-1)
}

// advance does all that codex has been told enough for.
func (s *process) advance() {
	for !s.ended {
		i, w := s.ready()
		if i < 0 {
			s.note(w)
			break
		}
		s.done[i] = true
		s.act(i, s.sec.Lines[i])
	}
	if !s.ended && s.sec.Exit.Asked == "" && s.low == len(s.done) {
		s.exit(codex.Exit{Code: s.sec.Exit.Code, Signal: s.sec.Exit.Signal, Stderr: s.sec.Exit.Stderr})
	}
}

func (s *process) note(w wait) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait = w
}

// ready returns the first act, in the order of the file, that codex has been
// told enough for and that is the first left in its lane; -1 when there is none,
// and then what the first act left waits for.
func (s *process) ready() (int, wait) {
	for s.low < len(s.done) && s.done[s.low] {
		s.low++
	}
	missing := map[string]int{} // group -> the first line that it was not told yet
	first := wait{-1, -1}
	lanes := map[string]bool{}
	for i := s.low; i < len(s.done); i++ {
		l := s.sec.Lines[i]
		switch {
		case s.done[i]:
		case l.tells():
			if _, known := missing[group(l.Thread)]; !known {
				missing[group(l.Thread)] = i
			}
		default:
			on, blocked := blockedBy(missing, group(l.Thread))
			lane := lane(l)
			if !blocked && !lanes[lane] {
				return i, first
			}
			lanes[lane] = true
			if first.act < 0 && blocked {
				first = wait{i, on}
			}
		}
		if first.act >= 0 && s.all(missing) {
			break
		}
	}
	if first.act < 0 && s.low < len(s.done) {
		first.on = s.low
	}
	return -1, first
}

// all reports whether every act that follows is blocked.
func (s *process) all(missing map[string]int) bool {
	_, process := missing[""]
	return process || s.groups > 0 && len(missing) == s.groups
}

// blockedBy returns the first line that the group was not told; what concerns
// the whole process waits for all.
func blockedBy(missing map[string]int, group string) (int, bool) {
	first, found := 0, false
	for g, i := range missing {
		if (g == group || g == "" || group == "") && (!found || i < first) {
			first, found = i, true
		}
	}
	return first, found
}

func (s *process) waitsFor() string {
	s.mu.Lock()
	w := s.wait
	s.mu.Unlock()
	switch {
	case w.on < 0:
		return ""
	case w.act < 0:
		return "the recording goes on with " + s.describe(w.on)
	}
	return s.describe(w.act) + " waits for " + s.describe(w.on)
}

func (s *process) openRequests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}
