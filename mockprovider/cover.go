package mockprovider

import (
	"reflect"
	"slices"

	"github.com/heldstream/heldstream/mockprovider/responses"
)

type event = responses.Event

// upgradeHows are the ways to treat a WebSocket handshake beside a status:
// hang never answers it, reset breaks the connection once it is accepted, and
// silent accepts it and then says nothing, whatever comes.
var upgradeHows = []string{"", "hang", "reset", "silent"}

// covers says that r matches everything that o matches. It errs on the side
// of no.
func (r *Reply) covers(o *Reply) bool {
	return r.To.covers(o.To) && r.Path == o.Path && r.Match.covers(&o.Match)
}

func (to Class) covers(o Class) bool {
	switch to {
	case o:
		return true
	case AnyClass:
		return o == AnyCompaction || AnyClass.answers(o)
	}
	return to == AnyCompaction && o.isCompaction()
}

// covers: each condition of m must be one of o.
func (m *Match) covers(o *Match) bool {
	for name, t := range m.Header {
		if ot, ok := o.Header[name]; !ok || !reflect.DeepEqual(t, ot) {
			return false
		}
	}
	for path, v := range m.JSON {
		if ov, ok := o.JSON[path]; !ok || !reflect.DeepEqual(v, ov) {
			return false
		}
	}
	for _, t := range m.Lacks {
		if !slices.Contains(o.Lacks, t) {
			return false
		}
	}
	return (m.User == nil || m.User.covers(o.User)) && within(m.Model, o.Model) && within(m.Agent, o.Agent) &&
		within(m.Nth, o.Nth) && (m.ToolOutput == nil || reflect.DeepEqual(m.ToolOutput, o.ToolOutput))
}

func (t *Text) covers(o *Text) bool {
	if reflect.DeepEqual(t, o) {
		return true
	}
	return o != nil && o.Is != nil && t.matches(*o.Is)
}

func within[T comparable](mine, other T) bool {
	var unset T
	return mine == unset || mine == other
}
