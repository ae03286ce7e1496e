package harness

import (
	"bytes"
	"encoding/json"
	"os"

	"github.com/heldstream/heldstream/harness/eventlog"
)

// collect takes what can be known only while the world still stands: what the
// provider was not asked for, and what codex has written.
func (e *Env) collect() error {
	e.unused = e.provider.Unused()
	for _, a := range e.agents.all() {
		lines, err := e.rolloutOf(a)
		if err != nil {
			return err
		}
		e.log.Append(a.name, eventlog.Rollout{Lines: lines})
	}
	return nil
}

func (e *Env) rolloutOf(a *agent) ([]json.RawMessage, error) {
	if e.player != nil {
		return e.player.Rollout(a.name), nil
	}
	return a.rollout(e)
}

// rollout reads the agent's conversation as codex keeps it.
func (a *agent) rollout(e *Env) ([]json.RawMessage, error) {
	thread := e.subject.thread(a)
	if thread == "" {
		return nil, nil
	}
	files, err := a.rollouts(thread)
	if err != nil {
		return nil, err
	}
	var lines []json.RawMessage
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(data) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				lines = append(lines, line)
			}
		}
	}
	return lines, nil
}
