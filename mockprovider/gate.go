package mockprovider

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// gate is where exchanges wait.
type gate struct {
	open bool // nothing waits here any more
	held []*exchange
}

// Release lets exchanges go on from a gate. Agent and Nth narrow which: the
// Nth of those that wait there now, from 1; 0 is all.
type Release struct {
	Gate  string
	Agent string
	Nth   int
	Open  bool   // the gate stays open for whatever comes
	With  string // "", "failed:CODE" or "cut": what follows instead of the rest
}

type release struct{ with string }

func (st *state) gate(name string) *gate {
	g := st.gates[name]
	if g == nil {
		g = &gate{}
		st.gates[name] = g
	}
	return g
}

// let takes from the gate what r names.
func (st *state) let(r Release) []*exchange {
	g := st.gate(r.Gate)
	g.open = g.open || r.Open
	var let, stay []*exchange
	n := 0
	for _, x := range g.held {
		if r.Agent == "" || r.Agent == x.Agent {
			if n++; r.Nth == 0 || r.Nth == n {
				let = append(let, x)
				continue
			}
		}
		stay = append(stay, x)
	}
	g.held = stay
	for _, x := range let {
		x.failing = x.failing || r.With != ""
	}
	return let
}

// Release lets go of what waits at a gate, and returns how many that were.
// Their Released events are out when it returns. It must not be called from
// Observe.
func (s *Server) Release(r Release) int {
	var let []*exchange
	s.update(func(st *state) []Event {
		let = st.let(r)
		events := make([]Event, len(let))
		for i, x := range let {
			events[i] = Event{Kind: Released, Exchange: x.Exchange, Gate: r.Gate}
		}
		return events
	})
	for _, x := range let {
		x.released <- release{r.With} // one a stay at a gate: there is room
	}
	return len(let)
}

// TryRelease is Release for orders that a person typed: it says what is wrong
// with one.
func (s *Server) TryRelease(r Release) (int, error) {
	_, failed := release{r.With}.failure()
	switch {
	case r.Gate == "":
		return 0, errors.New("a release needs the name of its gate")
	case r.Nth < 0:
		return 0, errors.New("nth counts from 1")
	case r.With != "" && r.With != "cut" && !failed:
		return 0, fmt.Errorf("with = %q is not known; use failed:CODE or cut", r.With)
	}
	if names := s.gateNames(); !slices.Contains(names, r.Gate) {
		return 0, fmt.Errorf("no reply holds at a gate %q; the gates are %q", r.Gate, names)
	}
	return s.Release(r), nil
}

// gateNames are the gates of the script.
func (s *Server) gateNames() []string {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	names := map[string]bool{}
	for _, r := range s.script.replies() {
		for _, try := range append([]Reply{r}, r.Attempts...) {
			for _, h := range try.Holds {
				names[h.Gate] = true
			}
		}
	}
	if s.script != nil && s.script.Realtime != nil && s.script.Realtime.Hold != "" {
		names[s.script.Realtime.Hold] = true
	}
	return sortedKeys(names)
}

// Held returns what waits at a gate, in order of arrival there.
func (s *Server) Held(gate string) []*Exchange {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	var held []*Exchange
	if g := s.state.gates[gate]; g != nil {
		for _, x := range g.held {
			held = append(held, x.Exchange)
		}
	}
	return held
}

// Gates returns the gates where something waits now, by name, with how many.
func (s *Server) Gates() map[string]int {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	gates := map[string]int{}
	for name, g := range s.state.gates {
		if len(g.held) > 0 {
			gates[name] = len(g.held)
		}
	}
	return gates
}

// hold makes an answer wait at a gate; next is the frame that waits with it.
// The error says that the client left, or that the Server closes.
func (s *Server) hold(t *taken, name, next string) (release, error) {
	x, waits := t.x, false
	s.update(func(st *state) []Event {
		if t.over() != nil {
			return nil
		}
		g := st.gate(name)
		if g.open {
			return nil
		}
		waits = true
		x.released = make(chan release, 1)
		g.held = append(g.held, x)
		return []Event{{Kind: Held, Exchange: x.Exchange, Gate: name, What: next, Frames: x.frames}}
	})
	if !waits {
		return release{}, t.over()
	}
	return t.await(x.released)
}

// await returns what happened at a gate, or why the answer is over. Without a
// gate that is all that can come.
func (t *taken) await(released <-chan release) (release, error) {
	select {
	case r := <-released:
		return r, nil
	case <-t.client.Done():
	case <-t.epoch.Done():
	}
	return release{}, t.over()
}

// leave takes x from whatever gate it stands at.
func (st *state) leave(x *exchange) {
	for _, g := range st.gates {
		g.held = slices.DeleteFunc(g.held, func(h *exchange) bool { return h == x })
	}
}

// failure is the code of a release with failed:CODE.
func (r release) failure() (code string, ok bool) {
	return strings.CutPrefix(r.with, "failed:")
}

func (st *state) holds(x *exchange) bool {
	for _, g := range st.gates {
		if slices.Contains(g.held, x) {
			return true
		}
	}
	return false
}
