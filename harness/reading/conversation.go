package reading

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Conversation renders the input of a request as what the model saw, item by
// item and short. Codex's own texts become one word; developer items, which are
// codex's alone unless a client injects one, are left out. Texts pass through
// normal before they are cut, so that what is cut off does not differ from run
// to run either.
func Conversation(payload json.RawMessage, normal func(string) string) []string {
	var items []string
	c := conversation{normal, map[string]string{}}
	input := gjson.GetBytes(payload, "input")
	if input.Type == gjson.String { // a client that is not codex may give a text alone
		return []string{c.userText(input.String())}
	}
	input.ForEach(func(_, item gjson.Result) bool {
		if text := c.render(item); text != "" {
			items = append(items, text)
		}
		return true
	})
	return items
}

type conversation struct {
	normal func(string) string
	names  map[string]string // call id -> tool
}

func (c conversation) render(item gjson.Result) string {
	kind := item.Get("type").String()
	switch kind {
	case "message", "":
		return c.message(item)
	case "function_call", "custom_tool_call", "local_shell_call", "tool_search_call":
		c.names[item.Get("call_id").String()] = item.Get("name").String()
		return "call " + item.Get("name").String()
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		return "output " + cmp.Or(c.names[item.Get("call_id").String()], item.Get("name").String())
	case "compaction", "compaction_summary", "context_compaction":
		if enc := item.Get("encrypted_content").String(); enc != "" {
			return "compaction " + c.quote(enc)
		}
		return "compaction"
	case "reasoning":
		return "thought"
	case "additional_tools":
		return ""
	}
	return kind
}

func (c conversation) message(item gjson.Result) string {
	role := item.Get("role").String()
	if role == "developer" || role == "system" {
		return ""
	}
	text := messageText(item)
	if role == "user" {
		return c.userText(text)
	}
	return role + " " + c.quote(text)
}

func messageText(item gjson.Result) string {
	content := item.Get("content")
	if content.Type == gjson.String {
		return content.String()
	}
	var parts []string
	content.ForEach(func(_, part gjson.Result) bool {
		if strings.HasSuffix(part.Get("type").String(), "image") {
			parts = append(parts, "(image)")
		} else {
			parts = append(parts, part.Get("text").String())
		}
		return true
	})
	return strings.Join(parts, "\n")
}

// codexTexts are user items that codex writes itself, told by how they begin.
// The word stands for the text in goldens.
var codexTexts = []struct{ begins, word string }{
	{"<environment_context>", "ENVIRONMENT"},
	{"# AGENTS.md instructions", "AGENTS"},
	{"<turn_aborted>", "ABORTED"},
	{"<user_action>", "USER_ACTION"},
	{"<codex_internal_context", "CONTEXT"},
	{"You are performing a CONTEXT CHECKPOINT COMPACTION", "PROMPT"},
	{"Another language model started to solve this problem and produced a summary", summaryWord},
}

const summaryWord = "SUMMARY"

// codexWord returns the word for a user item that codex wrote, "" for a prompt.
func codexWord(text string) string {
	for _, c := range codexTexts {
		if strings.HasPrefix(text, c.begins) {
			return c.word
		}
	}
	return ""
}

// OfCodex reports whether a user item is codex's own, and no prompt.
func OfCodex(text string) bool { return codexWord(text) != "" }

func (c conversation) userText(text string) string {
	switch word := codexWord(text); word {
	case "":
		return "user " + c.quote(text)
	case summaryWord: // what stands behind codex's preface is the scenario's
		_, summary, _ := strings.Cut(text, "\n")
		return word + " " + c.quote(summary)
	default:
		return word
	}
}

// quoted is how many bytes of a text stand in a golden's request line.
const quoted = 120

// quote shows a text on one line.
func (c conversation) quote(text string) string {
	short, rest := Cut(c.normal(text), quoted)
	return fmt.Sprintf("%q", short) + rest
}

// Cut cuts a text that is longer than most bytes; rest is then its length and
// hash, so that a change behind the cut still shows.
func Cut(text string, most int) (short, rest string) {
	if len(text) <= most {
		return text, ""
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	sum := sha256.Sum256([]byte(text))
	return text[:cut], fmt.Sprintf("… (%d bytes, %x)", len(text), sum[:4])
}

// OwnText tells a user item that codex wrote: the words that it begins with and
// the word that stands for it in goldens; both are "" for a prompt.
func OwnText(text string) (begins, word string) {
	for _, c := range codexTexts {
		if strings.HasPrefix(text, c.begins) {
			return c.begins, c.word
		}
	}
	return "", ""
}
