package mockprovider

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"github.com/heldstream/heldstream/mockprovider/responses"
)

// callKinds are the kinds of tool calls that a reply can make.
var callKinds = map[string]func(c *Call, w *responses.Writer, args []byte, a asked){
	"function": func(c *Call, w *responses.Writer, args []byte, a asked) {
		w.FunctionCall(a.ids.next("fc"), c.callID(a), c.Namespace, c.Tool, string(args))
	},
	"custom": func(c *Call, w *responses.Writer, _ []byte, a asked) {
		w.CustomToolCall(a.ids.next("ctc"), c.callID(a), c.Tool, expand(c.Input, a.expand))
	},
	"local_shell": func(c *Call, w *responses.Writer, args []byte, a asked) {
		w.Item(responses.LocalShellCall(a.ids.next("lsh"), c.callID(a), args))
	},
	"web_search": func(_ *Call, w *responses.Writer, args []byte, a asked) {
		w.Item(responses.WebSearchCall(a.ids.next("ws"), args))
	},
	"tool_search": func(c *Call, w *responses.Writer, args []byte, a asked) {
		w.Item(responses.ToolSearchCall(a.ids.next("ts"), c.callID(a), args))
	},
	"image_generation": func(_ *Call, w *responses.Writer, args []byte, a asked) {
		w.Item(responses.ImageGenerationCall(a.ids.next("ig"), gjson.GetBytes(args, "result").Str))
	},
	"mcp": func(c *Call, w *responses.Writer, args []byte, a asked) {
		w.Item(responses.MCPCall(a.ids.next("mcp"), c.Namespace, c.Tool, string(args), expand(c.Input, a.expand)))
	},
}

// kind: a call with input and no arguments is a freeform one.
func (c *Call) kind() string {
	if c.Kind == "" && c.Input != "" && c.Args == nil {
		return "custom"
	}
	return or(c.Kind, "function")
}

func (c *Call) write(w *responses.Writer, a asked) {
	args := []byte("{}")
	if c.Args != nil {
		args = expandJSON(c.Args, a.expand)
	}
	if make, ok := callKinds[c.kind()]; ok && json.Valid(args) {
		make(c, w, args, a)
	}
}

func (c *Call) callID(a asked) string {
	return or(expand(c.ID, a.expand), a.ids.next("call"))
}
