package mockprovider

import (
	"fmt"
)

// Unused tells what a finished run should have used: replies that answer a
// number of requests and answered none, and gates where something still waits.
func (s *Server) Unused() []Fault {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	var faults []Fault
	for i, r := range s.script.replies() {
		if r.Times > 0 && !r.Optional && s.state.used[i] == 0 {
			faults = append(faults, Fault{
				Path:    fmt.Sprintf("reply[%d]", i),
				Message: fmt.Sprintf("to = %q with times = %d was never used; optional = true allows that", r.To, r.Times),
			})
		}
	}
	for _, name := range sortedKeys(s.state.gates) {
		if n := len(s.state.gates[name].held); n > 0 {
			faults = append(faults, Fault{Path: "gate", Message: fmt.Sprintf("%q was never released: %s there; release it once for each, or once with open = true", name, stillWait(n))})
		}
	}
	return faults
}

// Breaches counts what no run should have, since the Server last started anew:
// requests that no reply answers, and what clients broke of the protocol. The
// journal has them in words, as far back as it goes.
func (s *Server) Breaches() (unmatched, violations int) {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.told[Unmatched], s.state.told[Violation]
}

func stillWait(n int) string {
	if n == 1 {
		return "1 still waits"
	}
	return fmt.Sprintf("%d still wait", n)
}
