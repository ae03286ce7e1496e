package codex

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// rise starts a process and leads it through the handshake.
func (m *machine) rise() {
	m.gen++
	m.phase = rising
	m.killed = false
	m.do(startEffect{m.gen})
	m.requestWithin(m.limits.Start, TimerStart, "initialize", map[string]any{
		"clientInfo":   map[string]any{"name": "heldstream", "title": "Heldstream", "version": "0.0.0"},
		"capabilities": map[string]any{"experimentalApi": true},
	}, m.initialized)
}

func (m *machine) initialized(r reply) {
	if r.err != nil {
		m.failOpen(fmt.Errorf("initialize: %w", r.err))
		return
	}
	var hello struct{ UserAgent string }
	_ = json.Unmarshal(r.result, &hello)
	m.info = agentcore.RuntimeInfo{Provider: m.req.Config.Provider, Version: versionIn(hello.UserAgent)}
	m.quirks = QuirksOf(m.info.Version)
	if err := m.quirks.takesMode(m.settings.mode); err != nil {
		m.failOpen(err)
		return
	}
	m.write(jsonrpc.Message{Method: "initialized"})
	switch {
	case m.thread != "" && !m.fresh:
		m.resume(m.thread)
	case m.req.Resume == nil:
		m.startThread()
	case m.req.HistoryOnly:
		m.thread = m.req.Resume.SessionID
		m.ready()
	case m.req.Resume.Metadata[CopyOf] == true:
		m.copyThread(m.req.Resume.SessionID)
	default:
		m.resume(m.req.Resume.SessionID)
	}
}

func (m *machine) startThread() {
	params := m.threadParams()
	m.requestWithin(m.limits.Start, TimerStart, "thread/start", params, func(r reply) {
		m.fresh = true
		m.threadOpened("thread/start", r)
	})
}

// CopyOf marks in a handle's metadata that the session goes on with a copy of
// the thread, which stays as it is; another process may be at work on it.
const CopyOf = "copyOf"

func (m *machine) copyThread(of string) {
	params := m.threadParams()
	params["threadId"] = of
	m.requestWithin(m.limits.Start, TimerStart, "thread/fork", params, func(r reply) { m.threadOpened("thread/fork", r) })
}

// resume opens the thread again. It never falls back to a new one while there
// is something to lose: the conversation would be gone without a word. One
// without a turn codex does not keep.
func (m *machine) resume(thread string) {
	params := m.threadParams()
	params["threadId"] = thread
	again := func(done func(reply)) {
		m.requestWithin(m.limits.Start, TimerStart, "thread/resume", params, done)
	}
	fail := func(err error) { m.failOpen(fmt.Errorf("failed to resume Codex thread %s: %w", thread, err)) }
	finish := func(r reply) {
		if r.err != nil && m.req.Unused && strings.Contains(r.err.Error(), "no rollout found") {
			m.startThread()
			return
		}
		if r.err != nil {
			fail(r.err)
			return
		}
		m.threadOpened("thread/resume", r)
	}
	again(func(r reply) {
		if !isArchived(r.err) {
			finish(r)
			return
		}
		m.requestWithin(m.limits.Start, TimerStart, "thread/unarchive", map[string]any{"threadId": thread}, func(r reply) {
			if r.err != nil {
				fail(r.err)
				return
			}
			again(finish)
		})
	})
}

func isArchived(err error) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && strings.Contains(e.Message, "archived")
}

func (m *machine) threadOpened(method string, r reply) {
	if r.err != nil {
		m.failOpen(fmt.Errorf("%s: %w", method, r.err))
		return
	}
	var res struct {
		Thread          struct{ ID string }
		Model           string
		ReasoningEffort *string
	}
	if err := json.Unmarshal(r.result, &res); err != nil || res.Thread.ID == "" {
		m.failOpen(fmt.Errorf("%s: the answer names no thread: %.200s", method, r.result))
		return
	}
	m.thread = res.Thread.ID
	m.info.Model = res.Model
	m.settings.opened(res.Model)
	m.ready()
}

// ready: calls that waited for the process go through now.
func (m *machine) ready() {
	m.phase = up
	m.info.SessionID = m.thread
	m.info.Mode = m.settings.mode
	m.info.Thinking = m.settings.thinking
	switch {
	case m.opened && m.fresh: // nothing was lost with the thread that died, but its id
		m.emit(agentcore.SettingChanged{Name: "session", Value: m.thread})
	case !m.opened:
		m.opened = true
		m.emit(agentcore.Opened{
			Handle: agentcore.Handle{Provider: m.req.Config.Provider, SessionID: m.thread},
			Info:   m.info,
			Capabilities: agentcore.Capabilities{
				Steer: true, Modes: true, MCP: true, Features: true, Compact: true, Fork: true, Commands: []string{"goal"},
			},
			Modes: Modes(),
		})
	}
	calls := m.waiting
	m.waiting = nil
	for _, c := range calls {
		m.takeCall(c)
	}
}

// failOpen ends a process that did not get through its handshake. The calls
// that waited for it fail; a session that was never open is gone.
func (m *machine) failOpen(err error) {
	if m.phase == down { // its exit says more
		return
	}
	m.calls = map[int]*wireCall{} // only the handshake's own can be open
	m.failWaiting(err)
	m.do(killEffect{})
	if m.opened {
		m.loseAsks()
		m.loseTools()
		m.loseTurns(err.Error(), "")
		m.down()
		return
	}
	m.phase = closing
	m.openFault = err
}

func (m *machine) failWaiting(err error) {
	calls := m.waiting
	m.waiting = nil
	for _, c := range calls {
		m.answer(c.ID, nil, err)
	}
}

// takeExit: the process is gone, asked for or not.
func (m *machine) takeExit(exit Exit) {
	text := exitText(exit)
	was := m.phase
	m.phase = down
	m.loseCalls(&lost{text})
	m.loseAsks()
	m.loseTools()
	m.loseTurns(text, exit.Stderr)
	m.down()
	switch {
	case was == closing:
		m.finish(m.openFault, exit.Stderr)
	case !m.opened:
		m.finish(errors.New(text), exit.Stderr)
	default:
		m.failWaiting(&lost{text})
	}
}

// finish tells the end of the session. Nothing follows.
func (m *machine) finish(err error, stderr string) {
	m.failWaiting(errClosed)
	if m.closeCall != nil {
		m.answer(*m.closeCall, nil, nil)
		err = nil
	}
	m.phase = gone
	m.emit(agentcore.Exited{Err: err, Stderr: stderr})
}

// down forgets what belonged to the process.
func (m *machine) down() {
	m.phase = down
	m.items, m.known = items{}, known{}
	for t := range m.timers {
		m.disarm(t)
	}
}

// loseCalls ends the calls that codex will not answer any more, oldest first.
func (m *machine) loseCalls(err error) {
	for id := 1; id <= m.nextID; id++ {
		if c := m.calls[id]; c != nil {
			delete(m.calls, id)
			m.disarm(c.timer)
			c.done(reply{err: err})
		}
	}
}

func exitText(e Exit) string {
	if e.NoStart {
		return "codex cannot be started: " + e.Err.Error()
	}
	text := "Codex app-server exited"
	switch {
	case e.Signal != "":
		text += " with signal " + e.Signal
	case e.Err == nil || e.Code != -1:
		text += fmt.Sprintf(" with code %d", e.Code)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if tail := strings.TrimSpace(e.Stderr); tail != "" {
		text += "\n" + tail
	}
	return text
}

var errClosed = errors.New("codex app-server client is closed")
