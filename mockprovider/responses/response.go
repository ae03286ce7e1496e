package responses

import "encoding/json"

// Response is the response object that frames and JSON answers carry.
type Response struct {
	ID                string            `json:"id"`
	Object            string            `json:"object"`
	CreatedAt         int64             `json:"created_at"`
	Status            string            `json:"status"`
	Error             *Error            `json:"error"`
	IncompleteDetails *Incomplete       `json:"incomplete_details"`
	Model             string            `json:"model"`
	Output            []json.RawMessage `json:"output"`
	ParallelToolCalls bool              `json:"parallel_tool_calls"`
	ToolChoice        string            `json:"tool_choice"`
	Tools             []string          `json:"tools"`
	Usage             *Usage            `json:"usage,omitempty"`
}

// created is what created_at says: a fixed time, so that the same script
// gives the same bytes.
const created = 1767225600

// New returns a response in progress.
func New(id, model string) Response {
	return Response{
		ID: id, Object: "response", CreatedAt: created, Status: "in_progress", Model: model,
		Output: []json.RawMessage{}, ParallelToolCalls: true, ToolChoice: "auto", Tools: none,
	}
}

// Error says why a response failed, or why a request was refused.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Incomplete says why a response ended early.
type Incomplete struct {
	Reason string `json:"reason"`
}

// Usage counts tokens.
type Usage struct {
	InputTokens         int           `json:"input_tokens"`
	InputTokensDetails  InputDetails  `json:"input_tokens_details"`
	OutputTokens        int           `json:"output_tokens"`
	OutputTokensDetails OutputDetails `json:"output_tokens_details"`
	TotalTokens         int           `json:"total_tokens"`
}

// InputDetails says what part of the input came from a cache.
type InputDetails struct {
	CachedTokens int `json:"cached_tokens"`
}

// OutputDetails says what part of the output was reasoning.
type OutputDetails struct {
	ReasoningTokens int `json:"reasoning_tokens"`
}

// ErrorBody is the JSON body of a refused request.
func ErrorBody(kind, code, message string) []byte {
	type full struct {
		Error
		Type  string  `json:"type"`
		Param *string `json:"param"`
	}
	b, _ := json.Marshal(map[string]full{"error": {Error{code, message}, kind, nil}})
	return b
}
