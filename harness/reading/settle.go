package reading

import (
	"fmt"
	"regexp"
	"slices"
)

// Unsettled says what the run still waits for that nobody holds, or "" when
// everything that can happen has happened.
func (r *Run) Unsettled() string {
	if r.Work > 0 {
		return "the manager is at work"
	}
	for _, name := range r.Order {
		a := r.Agents[name]
		if id, ok := a.leaving(); ok {
			return fmt.Sprintf("agent %s: codex to leave the call %s", name, id)
		}
		if !a.Alive {
			continue
		}
		if why := a.unsettled(r.Gates); why != "" {
			return fmt.Sprintf("agent %s: %s", name, why)
		}
	}
	return ""
}

func (a *Agent) unsettled(gates map[string]Gate) string {
	for _, c := range a.calls {
		return "an answer to " + c.method
	}
	if d, ok := a.owed.first(); ok {
		return d.what + " (" + d.of + ")"
	}
	for _, q := range a.asks {
		if q.answered || a.turns[q.turn] != nil && a.turns[q.turn].Status != "" {
			return "serverRequest/resolved of " + q.method
		}
	}
	for _, q := range a.Requests {
		if why := a.running(q); why != "" {
			return why
		}
	}
	if why := a.walking(gates); why != "" {
		return why
	}
	if a.Traits.Program && !a.stands(gates) {
		return "the end of the program"
	}
	for _, th := range a.Threads {
		if why := a.busy(th, gates); why != "" {
			return why
		}
	}
	return ""
}

// leaving finds a call of the manager's tools that nobody waits for any more,
// and that the manager does not know to be left yet.
func (a *Agent) leaving() (id string, ok bool) {
	for id := range a.calling {
		for _, t := range a.turns {
			if t.begun[id] && (!a.Alive || t.Status != "") {
				return id, true
			}
		}
	}
	return "", false
}

// running says why an open request keeps the run from being settled: its answer
// is being written, or the client is about to close it.
func (a *Agent) running(q *Request) string {
	if !q.Open() {
		return ""
	}
	if q.Gate == "" {
		return fmt.Sprintf("the answer to request %d (%s)", q.ID, q.Class)
	}
	t := a.turns[q.Turn]
	if a.Traits.ClosesHeld && q.Transport != "websocket" && t != nil && t.Status != "" {
		return fmt.Sprintf("codex to close request %d of a turn that has ended", q.ID)
	}
	return ""
}

// busy says what the running turn of a thread does that nobody holds.
func (a *Agent) busy(th *Thread, gates map[string]Gate) string {
	t := th.busy
	switch {
	case t == nil && th.goal:
		return "the next turn for the goal"
	case t == nil:
		return ""
	}
	waits := a.openAsk(t.ID)
	for id, it := range t.open {
		switch {
		case !tool(it.Type) || a.asked(id):
		case standsAt(it, gates) && !a.yields[id], a.calling[id]:
			// The manager has the call: it answers once the other agents, which
			// are looked at by themselves, have come so far.
			waits = true
		default:
			return fmt.Sprintf("the end of %s %s", it.Type, id)
		}
	}
	if waits {
		return ""
	}
	why := "the next act of the running turn"
	for _, q := range a.Requests {
		if q.Open() && q.Gate != "" && a.turnOf(q) == t {
			if why = a.waits(t, q); why == "" {
				return ""
			}
		}
	}
	return why
}

// HoldFile is the name of the file by which a command stands at a gate.
func HoldFile(gate string) string { return "hold-" + gate }

// gatesOf are the gates that a tool's command, or what an MCP server is told to
// run, comes to, by the files that it reads.
func gatesOf(it item) []string {
	var names []string
	for _, m := range holdFiles.FindAllStringSubmatch(it.Command+string(it.Arguments), -1) {
		names = append(names, m[1])
	}
	return names
}

var holdFiles = regexp.MustCompile(`/` + HoldFile(`([A-Za-z0-9_-]+)`))

// standsAt reports whether the command of a tool stands at a gate.
func standsAt(it item, gates map[string]Gate) bool {
	return slices.ContainsFunc(gatesOf(it), func(gate string) bool { return gates[gate].Now > 0 })
}

// onTheWay names the gate that a command is still to come to, "" when it stands
// at one or has passed all.
func onTheWay(it item, gates map[string]Gate) string {
	names := gatesOf(it)
	at := slices.IndexFunc(names, func(gate string) bool { return gates[gate].Ever == 0 })
	if at < 0 || standsAt(it, gates) {
		return ""
	}
	return names[at]
}

// walking names a command that has not come to its gate yet, or one that runs on
// although its turn is over.
func (a *Agent) walking(gates map[string]Gate) string {
	for _, t := range a.turns {
		for id, it := range t.open {
			if gate := onTheWay(it, gates); gate != "" {
				return fmt.Sprintf("command %s to come to gate %q", id, gate)
			}
			if t.Status == "completed" && tool(it.Type) && !standsAt(it, gates) {
				return "the end of background command " + id
			}
		}
	}
	return ""
}

// stands reports whether a program waits for something that is held: an answer
// to one of its requests, or a command that it runs.
func (a *Agent) stands(gates map[string]Gate) bool {
	for _, g := range gates {
		if g.Now > 0 {
			return true
		}
	}
	return slices.ContainsFunc(a.Requests, func(q *Request) bool { return q.Open() && q.Gate != "" })
}

// turnOf returns the turn that a request is for. The endpoint of remote
// compaction v1 does not say on old versions: it is the thread's running one.
func (a *Agent) turnOf(q *Request) *Turn {
	if q.Turn == "" && q.Class == "compaction.v1" {
		return a.thread(q.Thread).busy
	}
	return a.turns[q.Turn]
}

// waits says why a held request does not count as waiting yet.
func (a *Agent) waits(t *Turn, q *Request) string {
	if a.Traits.Impatient && (q.Headers || q.Transport == "websocket") {
		return fmt.Sprintf("codex to lose patience with request %d", q.ID)
	}
	compaction := q.Class != "turn"
	if compaction {
		if t.compact == 0 && q.Class != "review" && q.Class != "guardian" && q.Class != "subagent" {
			return "item/started of the compaction"
		}
		return ""
	}
	cuts := a.Traits.InstantInterrupt && q.Transport != "websocket" && q.Headers
	if cuts {
		if lacking := missing(t.Accepted, q.Texts); lacking != "" {
			return fmt.Sprintf("a request that carries %q", lacking)
		}
	}
	if unplaced := missing(carried(t.Accepted, q.Texts), t.Placed); unplaced != "" {
		return fmt.Sprintf("the item of user text %q", unplaced)
	}
	return ""
}

// missing returns the first of want that have does not have as often.
func missing(want, have []string) string {
	left := slices.Clone(have)
	for _, w := range want {
		i := slices.Index(left, w)
		if i < 0 {
			return w
		}
		left = slices.Delete(left, i, i+1)
	}
	return ""
}

// carried returns those of texts that stand in the request's.
func carried(texts, inRequest []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return !slices.Contains(inRequest, t) })
}

func (a *Agent) openAsk(turn string) bool {
	for _, q := range a.asks {
		if q.turn == turn && !q.answered {
			return true
		}
	}
	return false
}

func (a *Agent) asked(item string) bool {
	for _, q := range a.asks {
		if q.item == item && !q.answered {
			return true
		}
	}
	return false
}

func tool(itemType string) bool {
	switch itemType {
	case "commandExecution", "fileChange", "mcpToolCall", "dynamicToolCall", "collabAgentToolCall":
		return true
	}
	return false
}
