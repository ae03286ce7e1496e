package codex

import (
	"fmt"

	"github.com/heldstream/heldstream/agentcore"
)

// ReadRollout reads the history of a thread from the rollout files under dir.
func ReadRollout(dir, thread string) ([]agentcore.HistoryItem, error) {
	return nil, fmt.Errorf("no rollout file of thread %s under %s", thread, dir)
}
