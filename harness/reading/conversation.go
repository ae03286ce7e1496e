package reading

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Conversation renders the input of a request as what the model saw, item by
// item and short. Codex's own texts become one word; developer items, which are
// codex's alone unless a client injects one, are left out.
func Conversation(payload json.RawMessage) []string {
	var items []string
	names := map[string]string{} // call id -> tool
	gjson.GetBytes(payload, "input").ForEach(func(_, item gjson.Result) bool {
		if text := render(item, names); text != "" {
			items = append(items, text)
		}
		return true
	})
	return items
}

func render(item gjson.Result, names map[string]string) string {
	kind := item.Get("type").String()
	switch kind {
	case "message", "":
		return messageItem(item)
	case "function_call", "custom_tool_call", "local_shell_call", "tool_search_call":
		names[item.Get("call_id").String()] = item.Get("name").String()
		return "call " + item.Get("name").String()
	case "function_call_output", "custom_tool_call_output", "tool_search_output":
		return "output " + names[item.Get("call_id").String()]
	case "compaction", "compaction_summary", "context_compaction":
		if enc := item.Get("encrypted_content").String(); enc != "" {
			return "compaction " + quote(enc)
		}
		return "compaction"
	case "reasoning":
		return "thought"
	case "additional_tools":
		return ""
	}
	return kind
}

func messageItem(item gjson.Result) string {
	role := item.Get("role").String()
	if role == "developer" || role == "system" {
		return ""
	}
	text := messageText(item)
	if role == "user" {
		return userText(text)
	}
	return role + " " + quote(text)
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

func userText(text string) string {
	switch word := codexWord(text); word {
	case "":
		return "user " + quote(text)
	case summaryWord: // what stands behind codex's preface is the scenario's
		_, summary, _ := strings.Cut(text, "\n")
		return word + " " + quote(summary)
	default:
		return word
	}
}

// longest is how many bytes of a text stand in a golden.
const longest = 120

// quote shows a text on one line.
func quote(text string) string {
	short, rest := Cut(text)
	return fmt.Sprintf("%q", short) + rest
}

// Cut cuts a long text; rest is then its length and hash, so that a change
// behind the cut still shows.
func Cut(text string) (short, rest string) {
	if len(text) <= longest {
		return text, ""
	}
	cut := longest
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
