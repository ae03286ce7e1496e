package harness

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/internal/proc"
)

// How a manager of somebody else's ends, and what it has left undone then.

func (m *foreign) exited(x proc.Exit) {
	m.mu.Lock()
	open, busy, closing := m.calls, m.busy, m.closing
	m.calls, m.gone, m.busy = map[int]*openCall{}, true, false
	m.mu.Unlock()
	why := managerAnswer{Error: "the manager has exited"}
	if !closing {
		m.complain(fmt.Errorf("the manager %s %s in the middle of the run; it is to run until its input ends%s", m.name, ending(x), lastSaid(x)))
	}
	for _, id := range slices.Sorted(maps.Keys(open)) {
		if closing {
			why.Error = fmt.Sprintf("this manager does not answer `%s`", open[id].name)
		}
		open[id].answered(why)
	}
	if busy {
		m.env.worked(-1)
	}
}

func ending(x proc.Exit) string {
	switch {
	case x.Err != nil:
		return "was ended: " + x.Err.Error() + ","
	case x.Signal != "":
		return "ended by the signal " + x.Signal
	}
	return fmt.Sprintf("exited with code %d", x.Code)
}

// lastSaid is the end of what it wrote to standard error, which mostly says why.
func lastSaid(x proc.Exit) string {
	if text := lastLines(x.Stderr, 5); text != "" {
		return "; its last words:\n" + text
	}
	return ""
}

// close ends the manager, and then whatever it had at codex. Of a run that went
// wrong nobody wants to know whether the manager ends by itself.
func (m *foreign) close() error {
	var late error
	if m.child != nil {
		m.mu.Lock()
		m.closing = true
		m.mu.Unlock()
		late = m.finish()
	}
	m.env.backend.closeAll()
	if m.shims != nil {
		m.shims.close()
	}
	return late
}

func (m *foreign) wrong() (wrong bool) {
	m.env.log.View(func([]eventlog.Event) { wrong = len(m.env.run.Troubles) > 0 || m.env.run.Failed != nil })
	return wrong
}

func (m *foreign) finish() error {
	if m.wrong() {
		m.child.Kill()
		<-m.child.Done()
		return nil
	}
	var late atomic.Bool
	m.child.Close(proc.Ladder{Input: m.env.patience, Term: time.Second, After: func(d time.Duration, f func()) func() {
		t := time.AfterFunc(d, func() { late.Store(true); f() })
		return func() { t.Stop() }
	}})
	<-m.child.Done()
	if late.Load() {
		return fmt.Errorf("the manager %s did not exit within %s of the end of its input; it is to close its agents then, and exit", m.name, m.env.patience)
	}
	return nil
}

// undone says which calls have no answer, and whether a codex was started at all,
// for who waits for what they bring.
func (m *foreign) undone() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []string
	if m.shims != nil && len(m.codexes) == 0 {
		all = append(all, fmt.Sprintf("the manager %s has started no codex; it is to start what CODEX_BIN names", m.name))
	}
	for _, c := range m.codexes {
		if last := m.lastOf(c.agent); last != c && !c.gone {
			all = append(all, fmt.Sprintf("the codex that the manager %s has started for agent %s (pid %d) waits for the end of the one before it (pid %d)", m.name, c.agent.name, last.pid, c.pid))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(m.calls)) {
		switch c := m.calls[id]; c.name {
		case "sync":
			all = append(all, fmt.Sprintf("the manager %s has not answered `sync` (call %d)%s", m.name, id, m.unread()))
		default:
			all = append(all, fmt.Sprintf("the manager %s has not answered `%s` of agent %s (call %d)", m.name, c.name, c.agent, id))
		}
	}
	return strings.Join(all, "\n")
}

// unread is what a sync may wait for. The manager is locked.
func (m *foreign) unread() string {
	text := ": it is to be answered at once, since no codex was started"
	for i, c := range m.codexes {
		if i == 0 {
			text = ": it is to be answered once these lines were read and dealt with:"
		}
		text += fmt.Sprintf(" %d of the codex with pid %d, agent %s;", c.lines, c.pid, c.agent.name)
	}
	return strings.TrimSuffix(text, ";")
}

// mostStderr bounds what a run keeps of what a program writes to standard error.
const mostStderr = 256 << 10

// bounded takes texts until it is full. What comes then is left out.
type bounded struct{ left int }

func (b *bounded) take(text []byte) string {
	switch n := len(text); {
	case b.left < 0:
		return ""
	case n > b.left:
		text = append(text[:b.left:b.left], "… (the rest is left out)\n"...)
		b.left = -1
	default:
		b.left -= n
	}
	return string(text)
}

func (m *foreign) stderr(text []byte) {
	if said := m.said.take(text); said != "" {
		m.env.log.Append(m.env.agents.all()[0].name, eventlog.Stderr{Text: said})
	}
}
