package responses

import "encoding/json"

// Item is an output item. Which fields are set depends on Type; the functions
// below make each kind as the API does.
type Item struct {
	Type      string `json:"type"`
	ID        string `json:"id,omitempty"`
	Status    string `json:"status,omitempty"`
	Role      string `json:"role,omitempty"`
	CallID    string `json:"call_id,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`

	Content   *[]Part         `json:"content,omitempty"`
	Summary   *[]Part         `json:"summary,omitempty"`
	Encrypted string          `json:"encrypted_content,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // a string for functions, an object for tool searches
	Input     *string         `json:"input,omitempty"`
	Action    json.RawMessage `json:"action,omitempty"`
	Execution string          `json:"execution,omitempty"`
	Result    string          `json:"result,omitempty"`
	Server    string          `json:"server_label,omitempty"`
	Output    string          `json:"output,omitempty"`
}

// Part is a piece of an item's content or summary.
type Part struct {
	Type        string     `json:"type"`
	Text        string     `json:"text"`
	Annotations *[]string  `json:"annotations,omitempty"`
	Logprobs    *[]float64 `json:"logprobs,omitempty"`
}

var none = []string{}

// OutputText is a part of an assistant message.
func OutputText(text string) Part {
	return Part{Type: "output_text", Text: text, Annotations: &none}
}

// Message is an assistant message.
func Message(id, text string) Item {
	parts := []Part{OutputText(text)}
	return Item{Type: "message", ID: id, Status: "completed", Role: "assistant", Content: &parts}
}

// Reasoning is a reasoning item; content stays away when there is none.
func Reasoning(id string, summary, content []string, encrypted string) Item {
	it := Item{Type: "reasoning", ID: id, Summary: parts("summary_text", summary), Encrypted: encrypted}
	if len(content) > 0 {
		it.Content = parts("reasoning_text", content)
	}
	return it
}

func parts(kind string, texts []string) *[]Part {
	ps := make([]Part, 0, len(texts))
	for _, t := range texts {
		ps = append(ps, Part{Type: kind, Text: t})
	}
	return &ps
}

// FunctionCall is a call of a function tool; arguments is a JSON document.
func FunctionCall(id, callID, namespace, name, arguments string) Item {
	return Item{
		Type: "function_call", ID: id, Status: "completed", CallID: callID,
		Namespace: namespace, Name: name, Arguments: quote(arguments),
	}
}

// CustomToolCall is a call of a tool with freeform input.
func CustomToolCall(id, callID, name, input string) Item {
	return Item{Type: "custom_tool_call", ID: id, Status: "completed", CallID: callID, Name: name, Input: &input}
}

// LocalShellCall runs a command on the client; action is its JSON object.
func LocalShellCall(id, callID string, action json.RawMessage) Item {
	return Item{Type: "local_shell_call", ID: id, Status: "completed", CallID: callID, Action: action}
}

// ToolSearchCall asks the client for tools; arguments is a JSON object.
func ToolSearchCall(id, callID string, arguments json.RawMessage) Item {
	return Item{
		Type: "tool_search_call", ID: id, Status: "completed", CallID: callID,
		Execution: "client", Arguments: arguments,
	}
}

// WebSearchCall is a search that the server made; action is its JSON object.
func WebSearchCall(id string, action json.RawMessage) Item {
	return Item{Type: "web_search_call", ID: id, Status: "completed", Action: action}
}

// ImageGenerationCall is an image that the server made, base64 encoded.
func ImageGenerationCall(id, result string) Item {
	return Item{Type: "image_generation_call", ID: id, Status: "completed", Result: result}
}

// MCPCall is a call that the server made to an MCP server of its own.
func MCPCall(id, server, name, arguments, output string) Item {
	return Item{
		Type: "mcp_call", ID: id, Status: "completed", Server: server, Name: name,
		Arguments: quote(arguments), Output: output,
	}
}

// Compaction is the checkpoint that stands for the history before it.
func Compaction(id, encrypted string) Item {
	return Item{Type: "compaction", ID: id, Encrypted: encrypted}
}

func quote(s string) json.RawMessage {
	b, _ := json.Marshal(s) // a string always marshals
	return b
}
