package mcp

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
)

// Tokens are the bearer tokens of those who may call. The zero value has none.
// It is safe for concurrent use.
type Tokens struct {
	mu      sync.Mutex
	callers map[[sha256.Size]byte]string // by the token's hash: looking one up tells nothing of the others
}

// New returns a new token for an agent; for "", a caller that is no agent.
func (t *Tokens) New(agentID string) string {
	token := rand.Text()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.callers == nil {
		t.callers = map[[sha256.Size]byte]string{}
	}
	t.callers[sha256.Sum256([]byte(token))] = agentID
	return token
}

// Caller returns whose token it is.
func (t *Tokens) Caller(token string) (agentID string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	agentID, ok = t.callers[sha256.Sum256([]byte(token))]
	return agentID, ok
}
