package codex

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
)

// known is what codex was asked about itself, each when a turn first needed it
// and once a process. An answer that fails or makes no sense is no answer.
type known struct {
	sandbox map[string]any    // sandbox_workspace_write of the configuration
	skills  map[string]string // the path of each, by name

	config, listed *question // after sandbox and after skills; nil: not asked yet
}

// question is one that codex was asked. A turn may go without the answer only
// when there will be none.
type question struct {
	over bool          // answered, or never to be
	then []func(error) // what waits until it is over
}

func (q *question) open() bool { return q == nil || !q.over }

// prepare asks what a turn with this prompt needs to know, then goes on. Its
// error says that the process is gone.
func (m *machine) prepare(p agentcore.Prompt, then func(error)) {
	mode := modeNamed(m.settings.mode)
	_, slash := slashCommand(p.Text)
	goOn := func(err error) {
		if err != nil {
			then(err)
			return
		}
		m.prepare(p, then)
	}
	switch {
	case mode != nil && mode.policy == workspaceWrite && m.known.config.open():
		m.ask(&m.known.config, "config/read", map[string]any{"cwd": m.req.Config.Cwd}, m.readConfig, goOn)
	case slash && m.known.listed.open():
		m.ask(&m.known.listed, "skills/list", map[string]any{"cwds": []string{m.req.Config.Cwd}}, m.readSkills, goOn)
	default:
		then(nil)
	}
}

// ask asks a question that is kept in a field of known, or waits with those
// who asked it before: the start that did may have been taken back since.
func (m *machine) ask(kept **question, method string, params any, read func(json.RawMessage), then func(error)) {
	if *kept != nil {
		(*kept).then = append((*kept).then, then)
		return
	}
	q := &question{then: []func(error){then}}
	*kept = q
	m.requestWithin(m.limits.Start, TimerStart, method, params, func(r reply) {
		q.over = true
		var gone *lost
		if !errors.As(r.err, &gone) {
			r.err = nil
			if *kept == q { // it is still what is to be known
				read(r.result)
			}
		}
		for _, then := range q.then {
			then(r.err)
		}
	})
}

func (m *machine) readConfig(result json.RawMessage) {
	var res struct {
		Config struct {
			Sandbox map[string]any `json:"sandbox_workspace_write"`
		}
	}
	_ = json.Unmarshal(result, &res)
	m.known.sandbox = res.Config.Sandbox
}

func (m *machine) readSkills(result json.RawMessage) {
	var res struct {
		Data []struct {
			Skills []struct {
				Name, Path string
				Enabled    bool
			}
		}
	}
	_ = json.Unmarshal(result, &res)
	m.known.skills = map[string]string{}
	for _, folder := range res.Data {
		for _, s := range folder.Skills {
			if s.Enabled {
				m.known.skills[s.Name] = s.Path
			}
		}
	}
}

// skillsChanged: the next slash command asks again, and so does one that waits
// for an answer that may be from before.
func (m *machine) skillsChanged(note) { m.known.listed = nil }

// slashCommand is the name behind the slash that a text begins with.
func slashCommand(text string) (name string, ok bool) {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	name, ok = strings.CutPrefix(word, "/")
	return name, ok && name != ""
}

// withSkill puts a skill in the place of the slash command that names it.
// Anything else that begins with a slash is a text like others.
func (m *machine) withSkill(p agentcore.Prompt) agentcore.Prompt {
	name, ok := slashCommand(p.Text)
	path := m.known.skills[name]
	if !ok || path == "" {
		return p
	}
	rest := strings.TrimPrefix(strings.TrimSpace(p.Text), "/"+name)
	p.Text = strings.TrimSpace(rest)
	p.Attached = append([]agentcore.Attachment{{Kind: "skill", Name: name, Path: path}}, p.Attached...)
	return p
}
