package agentcore

import "fmt"

// asked takes a request of a caller.
func (m *Machine) asked(in Asked) {
	if m.closing != nil && m.duringClose(in) {
		return
	}
	switch r := in.Request.(type) {
	case CreateRequest, LoadRequest:
		m.joinOpening(in.Req)
	case SendRequest:
		m.send(in.Req, r, false)
	case RunRequest:
		m.send(in.Req, r.SendRequest, true)
	case WithdrawRequest:
		m.withdraw(in.Req, r.ClientID)
	case InterruptRequest:
		m.interrupt(in.Req)
	case CompactRequest:
		m.compact(in.Req)
	case RespondRequest:
		m.respond(in.Req, r)
	case SetRequest:
		m.set(in.Req, r)
	case RawRequest:
		m.pass(in.Req, Raw{r.Method, r.Params})
	case ForkRequest:
		m.pass(in.Req, Fork{})
	case ReloadRequest:
		m.reload(in, r)
	case HydrateRequest:
		m.hydrate(in, r)
	case CloseRequest:
		m.close(in.Req)
	case ArchiveRequest:
		m.archive(in.Req, r)
	case UnarchiveRequest:
		m.unarchive(in)
	case DeleteRequest:
		m.reply(in.Req, nil, saying("Agent %s is live: close it before you delete it", m.id))
	case WaitRequest:
		m.wait(in.Req, r.For)
	case EditRequest:
		m.edit(in.Req, r)
	case AppendRequest:
		row := m.record("", r.Item)
		m.replyDurable(Reply{Req: in.Req, Result: row})
	case flushRequest:
		m.flush()
		m.replyDurable(Reply{Req: in.Req})
	default:
		m.reply(in.Req, nil, fmt.Errorf("agent %s: no such request: %T", m.id, in.Request))
	}
}

// duringClose handles what comes while the agent closes: what can be done to a
// closed agent waits for the end, everything else comes too late.
func (m *Machine) duringClose(in Asked) bool {
	switch in.Request.(type) {
	case CloseRequest, ArchiveRequest:
		if !m.closing.finished {
			return false
		}
	case LoadRequest, DeleteRequest, UnarchiveRequest, EditRequest:
	default:
		m.reply(in.Req, nil, errNoSession(m.id))
		return true
	}
	m.closing.after = append(m.closing.after, in)
	return true
}

func (m *Machine) reload(in Asked, r ReloadRequest) {
	if r.Config != nil {
		m.agent.Config = r.Config.over(m.agent.Config)
	}
	m.lane = append(m.lane, &op{kind: opReload, reqs: []ReqID{in.Req}, rehydrate: r.Rehydrate, fresh: in.Fresh})
}

// over lays what is set in c over another config.
func (c SessionConfig) over(base SessionConfig) SessionConfig {
	or := func(p *string, s string) {
		if s != "" {
			*p = s
		}
	}
	or(&base.Model, c.Model)
	or(&base.Mode, c.Mode)
	or(&base.Thinking, c.Thinking)
	or(&base.SystemPrompt, c.SystemPrompt)
	or(&base.AppendSystemPrompt, c.AppendSystemPrompt)
	or(&base.Cwd, c.Cwd)
	or(&base.Title, c.Title)
	if c.Features != nil {
		base.Features = c.Features
	}
	if c.MCPServers != nil {
		base.MCPServers = c.MCPServers
	}
	if c.Options != nil {
		base.Options = c.Options
	}
	if c.Env != nil {
		base.Env = c.Env
	}
	return base
}

// expired: a timer ran out.
func (m *Machine) expired(name string) {
	switch name {
	case "coalesce":
		m.flush()
	case "close":
		m.closeExpired()
	case "start":
		m.startExpired()
	case "steer":
		m.steerExpired()
	case "interrupt", "rescue":
		if o := m.head(); o != nil && o.canceling() {
			m.notAcknowledged(o, name == "rescue")
		}
	case "settle":
		if o := m.head(); o != nil && o.phase == opSettling {
			m.settleExpired(o)
		}
	}
}
