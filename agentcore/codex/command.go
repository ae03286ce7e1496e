package codex

import (
	"encoding/json"
	"regexp"
	"strings"
)

var shellWrapper = regexp.MustCompile(`(?s)^(?:/usr)?(?:/bin/)?(?:bash|zsh|sh) -l?c (.+)$`)

// unwrapCommand is the command that was meant, without the shell that codex
// runs it in. It may be a string or a list.
func unwrapCommand(raw json.RawMessage) string {
	var list []string
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		if len(list) == 3 && shellWrapper.MatchString(list[0]+" "+list[1]+" x") {
			return list[2]
		}
		return strings.Join(list, " ")
	}
	var text string
	_ = json.Unmarshal(raw, &text)
	if m := shellWrapper.FindStringSubmatch(text); m != nil {
		return unquote(m[1])
	}
	return text
}

// unquote takes off one pair of shell quotes, if they hold the whole.
func unquote(s string) string {
	if len(s) < 2 {
		return s
	}
	inner := s[1 : len(s)-1]
	switch {
	case s[0] == '\'' && s[len(s)-1] == '\'' && !strings.Contains(strings.ReplaceAll(inner, `'\''`, ""), "'"):
		return strings.ReplaceAll(inner, `'\''`, "'")
	case s[0] == '"' && s[len(s)-1] == '"':
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\$`, `$`, "\\`", "`").Replace(inner)
	}
	return s
}

// outputBody is a command's output without the envelope that codex gives it
// for the model.
func outputBody(s string) string {
	if !strings.HasPrefix(s, "Chunk ID:") && !strings.HasPrefix(s, "Wall time:") {
		return s
	}
	if _, body, ok := strings.Cut(s, "\nOutput:\n"); ok {
		return body
	}
	return s
}
