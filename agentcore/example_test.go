package agentcore_test

import (
	"context"
	"fmt"

	"github.com/heldstream/heldstream/agentcore"
)

// A manager with one agent whose provider takes everything at once.
func Example() {
	m := agentcore.New(agentcore.Options{Providers: map[string]agentcore.Provider{"auto": autoProvider{texts: 1}}})
	ctx := context.Background()
	a, err := m.Create(ctx, agentcore.CreateRequest{
		AgentID: "00000000-0000-4000-8000-000000000001", Config: agentcore.SessionConfig{Provider: "auto", Cwd: "/"},
	})
	fmt.Println(a.Lifecycle, err)
	p := m.Begin(agentcore.SendRequest{AgentID: a.ID, Prompt: agentcore.Prompt{Text: "hello"}, ClientID: "m1"})
	sent, err := p.Wait(ctx)
	fmt.Println(sent.(agentcore.SendResult).Disposition, err)
	fate, err := p.Fate(ctx)
	fmt.Println(fate, err)
	fmt.Println(m.Shutdown(ctx))
	// Output:
	// idle <nil>
	// started <nil>
	// delivered <nil>
	// <nil>
}
