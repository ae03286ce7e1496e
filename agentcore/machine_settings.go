package agentcore

import (
	"maps"
	"strconv"
)

func (m *Machine) set(req ReqID, r SetRequest) {
	if m.sess.phase != sessionReady {
		m.reply(req, nil, errNoSession(m.id))
		return
	}
	m.call(pendingCall{kind: callSet, req: req, op: Set{r.Name, r.Value}})
}

// settingAnswered: what was asked for explicitly goes before any drift that
// the call caused, since that came first.
func (m *Machine) settingAnswered(c pendingCall, a Answer) {
	if a.Err != nil {
		m.reply(c.req, nil, a.Err)
		return
	}
	set := c.op.(Set)
	value, _ := set.Value.(string)
	switch set.Name {
	case "mode":
		m.agent.Config.Mode, m.agent.Info.Mode = value, value
	case "model":
		m.agent.Config.Model, m.agent.Info.Model = value, value
	case "thinking":
		m.agent.Config.Thinking, m.agent.Info.Thinking = value, value
	default:
		m.setFeature(set.Name, set.Value)
	}
	m.emit()
	notice, _ := a.Value.(string)
	m.reply(c.req, notice, nil)
}

func (m *Machine) setFeature(name string, value any) {
	features := maps.Clone(m.agent.Config.Features) // others have seen the old one
	if features == nil {
		features = map[string]any{}
	}
	features[name] = value
	m.agent.Config.Features = features
}

// drifted: the session itself changed a setting.
func (m *Machine) drifted(e SettingChanged) {
	switch e.Name {
	case "mode":
		m.agent.Info.Mode = e.Value
	case "model":
		m.agent.Info.Model = e.Value
	case "thinking":
		m.agent.Info.Thinking = e.Value
	case "session": // one that held nothing died, and was begun anew
		m.agent.Handle = &Handle{Provider: m.agent.Config.Provider, SessionID: e.Value}
		m.sess.resume, m.agent.Info.SessionID = m.agent.Handle, e.Value
	default:
		on, err := strconv.ParseBool(e.Value)
		if err != nil {
			return
		}
		m.setFeature(e.Name, on)
	}
	m.emit()
}
