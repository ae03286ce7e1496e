package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/mcp"
)

// An agent gets the server's URL and a token of its own; with it, it is known.
func ExampleServer() {
	manager := agentcore.New(agentcore.Options{})
	tokens := &mcp.Tokens{}
	server := mcp.New(mcp.Options{Manager: manager, Tokens: tokens})
	defer server.Close()
	web := httptest.NewServer(server)
	defer web.Close()

	ctx := context.Background()
	client := sdk.NewClient(&sdk.Implementation{Name: "an agent", Version: "1"}, nil)
	session, err := client.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: web.URL, DisableStandaloneSSE: true,
		HTTPClient: &http.Client{Transport: bearer{tokens.New("00000000-0000-4000-8000-000000000001")}},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = session.Close() }()
	got, err := session.CallTool(ctx, &sdk.CallToolParams{Name: mcp.SendAgentPrompt, Arguments: map[string]any{"agentId": "you"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(got.Content[0].(*sdk.TextContent).Text)
	// Output: validating "arguments": validating root: required: missing properties: ["prompt"]
}
