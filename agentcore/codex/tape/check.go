package tape

import (
	"encoding/json"
	"fmt"
)

// checker finds lines that cannot follow those before them in a section. The
// player relies on it.
type checker struct {
	calls    map[Mark]map[int]bool // true: answered
	requests map[string]*requested // by their numbers
}

type requested struct {
	thread string
	over   bool // ended, broken or cut: nothing may follow
}

func (c *checker) line(l Line) error {
	if c.calls == nil {
		c.calls = map[Mark]map[int]bool{Manager: {}, Codex: {}}
		c.requests = map[string]*requested{}
	}
	switch l.Verb {
	case Call:
		return c.call(l)
	case Answer, Error:
		return c.answer(l)
	case Ask:
		return c.request(l)
	case Event, Leave:
		return c.follow(l)
	}
	return nil
}

func (c *checker) call(l Line) error {
	if _, known := c.calls[l.Mark][l.N]; known {
		return fmt.Errorf("there is a call %d already", l.N)
	}
	c.calls[l.Mark][l.N] = false
	return nil
}

func (c *checker) answer(l Line) error {
	other := Manager
	if l.Mark == Manager {
		other = Codex
	}
	if answered, known := c.calls[other][l.N]; !known || answered {
		return fmt.Errorf("no call %d waits for an answer", l.N)
	}
	c.calls[other][l.N] = true
	return nil
}

func (c *checker) request(l Line) error {
	if c.requests[l.number()] != nil {
		return fmt.Errorf("there is a request %s already", l.number())
	}
	c.requests[l.number()] = &requested{thread: l.Thread}
	var w Wire
	if err := json.Unmarshal(l.Data, &w); err != nil {
		return fmt.Errorf("the request: %w", err)
	}
	if l.Tools && w.Connection > 0 {
		return fmt.Errorf("the manager's tools have no WebSocket")
	}
	return w.check()
}

func (c *checker) follow(l Line) error {
	r := c.requests[l.number()]
	switch {
	case r == nil:
		return fmt.Errorf("no request %s stands above", l.number())
	case r.over:
		return fmt.Errorf("request %s is over", l.number())
	case r.thread != l.Thread:
		return fmt.Errorf("request %s is of thread %q", l.number(), r.thread)
	}
	r.over = l.Verb == Leave || l.Name == End || l.Name == Broken
	return nil
}
