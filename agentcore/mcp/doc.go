// Package mcp lets the agents of a manager work with each other: it serves the
// manager as tools, over MCP's streamable HTTP.
//
// Each caller has a bearer token of its own (see Tokens), so that the server
// knows which agent calls. The tools are create_agent, send_agent_prompt,
// wait_for_agent, get_agent_status, list_agents, cancel_agent and
// respond_to_permission. A prompt that an agent sends in the background comes
// back as a message once the receiver is done; see SystemText.
package mcp
