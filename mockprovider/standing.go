package mockprovider

import (
	"encoding/json"
	"net/http"
)

// toPrewarm is one for all, so that it is written once.
var toPrewarm = &Reply{}

// standing is the reply to what needs none in the script.
func (s *Script) standing(class Class, q *request) *Reply {
	switch {
	case s == nil:
		return nil
	case class == Prewarm:
		return toPrewarm
	case s.Realtime != nil && q.transport == transportWebSocket && isRealtime(q.path):
		r := &Reply{Events: []json.RawMessage{sessionUpdated(q)}}
		if s.Realtime.Hold != "" {
			r.Holds = []Hold{{Gate: s.Realtime.Hold, Before: "session.updated"}}
		}
		return r
	}
	return nil
}

// ofItsOwn reports whether the reply was made for this request alone. Made ready
// for others, it would be kept and never met again.
func (x *exchange) ofItsOwn() bool { return x.Class == Side && x.Reply < 0 }

// otherwise answers what has a fixed body, and refuses the rest.
func (t *taken) otherwise(why string) string {
	switch {
	case t.sc == nil:
		return t.unscripted(why)
	case t.x.Class == Models:
		t.a = modelsAnswer(t.sc.Models, t.q.path)
	case t.x.Class == Side:
		t.a, _ = sideAnswer(t.q.method, t.q.path)
	}
	if t.a.status == 0 {
		return t.unscripted(why)
	}
	t.frame()
	return ""
}

func (t *taken) unscripted(why string) string {
	t.x.failing = true
	t.a = errorAnswer(http.StatusBadRequest, "unscripted_request", why)
	t.frame()
	return why
}
