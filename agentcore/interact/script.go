package interact

import (
	"fmt"
	"slices"
	"time"

	"github.com/heldstream/heldstream/agentcore"
)

// script is a transcript that is ready to be played.
type script struct {
	settings settings
	heads    []block // the settings as they were written
	commands []command
	tail     []string
}

// settings are what a transcript begins with.
type settings struct {
	faults agentcore.Fault
	limits agentcore.Limits
	policy agentcore.Policy
	caps   agentcore.Capabilities
}

func newScript(name string, data []byte) (*script, error) {
	blocks, tail, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	s := &script{tail: tail, settings: settings{
		caps:   agentcore.Capabilities{Steer: true, Compact: true, Fork: true},
		limits: agentcore.Limits{Coalesce: agentcore.CoalesceUnbounded},
	}}
	s.settings.policy, _ = agentcore.PresetNamed("steer")
	for _, b := range blocks {
		is, err := s.settings.read(b)
		if err == nil && !is {
			var c command
			c, err = newCommand(b)
			s.commands = append(s.commands, c)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, b.number, err)
		}
		if is {
			s.heads = append(s.heads, b)
		}
	}
	return s, nil
}

// read takes a setting and says whether the block is one.
func (s *settings) read(b block) (bool, error) {
	switch b.words[0] {
	case "plant":
		f, ok := agentcore.FaultNames[b.or(1, "")]
		if !ok {
			return false, fmt.Errorf("no fault %q", b.or(1, ""))
		}
		s.faults |= f
	case "caps":
		s.caps = agentcore.Capabilities{
			Steer: slices.Contains(b.words, "steer"), Compact: slices.Contains(b.words, "compact"), Fork: slices.Contains(b.words, "fork"),
		}
	case "limit":
		return true, s.limit(b)
	default:
		return false, nil
	}
	return true, nil
}

func (s *settings) limit(b block) error {
	for key, value := range b.opts {
		d, err := time.ParseDuration(value)
		if err != nil && key != "leading" {
			return fmt.Errorf("limit %s: %w", key, err)
		}
		switch key {
		case "coalesce":
			s.limits.Coalesce = d
		case "rescue":
			s.limits.Rescue = d
		case "leading":
			s.limits.Leading = true
		default:
			return fmt.Errorf("no limit %q: there are coalesce, rescue, leading", key)
		}
	}
	return nil
}
