package plan

import (
	"fmt"
	"strings"
)

// checkOrder follows the steps and finds those whose outcome no gate decides.
func (b *builder) checkOrder() {
	o := order{b: b, held: len(b.gates().list) > 0, racing: map[string]string{}}
	for i := range b.plan.Steps {
		if b.stepOK[i] {
			o.step(&b.plan.Steps[i], b.stepTables[i])
		} else {
			clear(o.racing) // it may be what is missing
		}
	}
}

// order is what is known of the run between two steps.
type order struct {
	b      *builder
	held   bool              // the file has gates
	racing map[string]string // agent -> the step that it is not known to have finished
}

func (o *order) step(s *Step, v *value) {
	here := fmt.Sprintf("%s in line %d", s.Action.Name(), v.pos.Line)
	switch a := s.Action.(type) {
	case *Release:
		o.racing[orElse(a.Agent, s.Agent)] = here
	case *Send, *Compact, *Approve, *Deny, *Answer, *Inject, *RPC, *Resume, *Fork, *Kill, *Close, *Together, *Expire:
		o.racing[s.Agent] = here
	case *Interrupt:
		if by, ok := o.racing[s.Agent]; ok && !strings.HasPrefix(by, "interrupt") {
			o.b.faultAt(v.get("interrupt").key, "the interrupt races with what %s began; hold the reply and put await = { held = GATE } before it, or settle", by)
		}
		o.racing[s.Agent] = here
	case *Run, *Restart, *Settle:
		o.rests(s)
	case *Await:
		if a.Held != "" || a.Reached != "" || a.State != "" || a.Permission != "" || o.held {
			o.rests(s)
		}
	case *ExpectNow:
		o.expects(s, v)
	}
}

// rests forgets what a step has waited for: one agent, or all of them.
func (o *order) rests(s *Step) {
	if _, all := s.Action.(*Settle); all {
		clear(o.racing)
	}
	delete(o.racing, s.Agent)
	if a, ok := s.Action.(*Await); ok && a.Agent == "" {
		clear(o.racing)
	}
}

// expects wants something to have been waited for since the last deed.
func (o *order) expects(s *Step, v *value) {
	for _, agent := range sortedKeys(o.racing) {
		o.b.faultAt(v.get("expect").key, "this proves nothing: %s may not have had its effects yet; put settle = true before it", o.racing[agent])
		return
	}
	if s.Index == 1 {
		o.b.faultAt(v.get("expect").key, "this proves nothing: no step came before it; put one there")
	}
}
