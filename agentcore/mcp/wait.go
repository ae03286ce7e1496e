package mcp

import (
	"errors"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
)

// WaitArgs are the arguments of wait_for_agent.
type WaitArgs struct {
	AgentID string `json:"agentId" jsonschema:"id of the agent, a UUID"`
}

// errSelf: while it waits, an agent is not done.
var errSelf = errors.New("agentId: an agent cannot wait for itself; name another, or send in the background")

func (c *call) isSelf(id string) bool { return strings.EqualFold(id, c.Caller) }

func (c *call) wait(in WaitArgs) {
	if c.isSelf(in.AgentID) {
		c.finish(nil, errSelf)
		return
	}
	c.await(in.AgentID, func(w Waited) { c.finish(w, nil) })
}

// await waits until the agent has nothing to do or asks for permission, but not
// longer than the server's limit: then next is told how it stands.
func (c *call) await(id string, next func(Waited)) {
	p := begin(c, agentcore.WaitRequest{AgentID: id, For: agentcore.WaitEvent}, func(r agentcore.WaitResult) {
		next(c.waited(id, r))
	})
	stop := c.server.opts.Clock.AfterFunc(TimerWait, c.server.opts.Wait, func() { c.expire(id, p, next) })
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answered { // or left
		stop()
		c.server.opts.Manager.Abandon(p)
		return
	}
	c.waiting, c.stop = p, stop
}

func (c *call) expire(id string, p *agentcore.Pending, next func(Waited)) {
	c.server.work(+1)
	defer c.server.work(-1)
	a, _ := c.server.opts.Manager.Get(id)
	next(Waited{AgentID: id, Status: string(a.Lifecycle), TimedOut: true, Activity: c.activity(id)})
	c.server.opts.Manager.Abandon(p)
}

func (c *call) waited(id string, r agentcore.WaitResult) Waited {
	w := Waited{AgentID: id, Status: string(r.Status), Permission: permission(r.Permission)}
	if r.LastMessage != "" {
		w.LastMessage = &r.LastMessage
	}
	if r.Status == agentcore.Failed {
		a, _ := c.server.opts.Manager.Get(id)
		w.Error = firstLine(a.LastError)
	}
	return w
}

// firstLine leaves out what the provider wrote on its way down: that is for
// people, and no two times the same.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func permission(p *agentcore.PermissionRequest) *Permission {
	if p == nil {
		return nil
	}
	return &Permission{p.ID, p.Kind, p.Title}
}

// activities is how many rows a wait that ran out shows.
const activities = 5

// activity are the last rows of an agent's timeline, in short.
func (c *call) activity(id string) []string {
	tl, err := c.server.opts.Manager.Timeline(id)
	if err != nil {
		return nil
	}
	rows := tl.Rows
	rows = rows[max(0, len(rows)-activities):]
	var all []string
	for _, r := range rows {
		all = append(all, string(r.Item.Kind)+": "+or(r.Item.Text, r.Item.Name+" "+string(r.Item.Status)))
	}
	return all
}
