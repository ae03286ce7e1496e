package record

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"github.com/heldstream/heldstream/agentcore/codex/tape"
)

// folded is a JSON value that stands in a text.
type folded struct{ value any }

// MarshalJSON writes it as the text again.
func (f *folded) MarshalJSON() ([]byte, error) {
	text, err := tape.Encode(f.value)
	if err != nil {
		return nil, err
	}
	return json.Marshal(string(text))
}

// unfold opens the texts that are JSON, where codex is known to send them.
func unfold(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = unfold(v[i])
		}
	case map[string]any:
		for k, e := range v {
			v[k] = unfold(e)
			if strings.EqualFold(k, "x-codex-turn-metadata") {
				v[k] = open(e)
			}
		}
	}
	return v
}

func open(v any) any {
	if list, ok := v.([]any); ok && len(list) == 1 {
		return []any{open(list[0])}
	}
	text, _ := v.(string)
	if inner, err := tape.Decode([]byte(text)); err == nil {
		return &folded{inner}
	}
	return v
}

// dropped are headers that a new request makes anew.
var dropped = map[string]bool{
	"Host": true, "Content-Length": true, "Accept-Encoding": true, "Sec-Websocket-Key": true,
	"Sec-Websocket-Version": true, "Sec-Websocket-Extensions": true,
}

var secretHeader = regexp.MustCompile(`(?i)auth|token|secret|cookie|api-?key`)

// headers keeps what a provider may look at; those that hold secrets without
// their values.
func headers(h http.Header) map[string]any {
	out := map[string]any{}
	for name, values := range h {
		if dropped[name] || name == "Connection" && !strings.EqualFold(values[0], "upgrade") {
			continue
		}
		list := make([]any, len(values))
		for i, v := range values {
			list[i] = v
			if secretHeader.MatchString(name) && !strings.HasPrefix(name, "X-Codex-") {
				list[i] = secretIn(v)
			}
		}
		out[name] = list
	}
	return unfold(out).(map[string]any)
}

// secretIn keeps the scheme.
func secretIn(value string) string {
	if scheme, _, ok := strings.Cut(value, " "); ok {
		return scheme + " (secret)"
	}
	return "(secret)"
}
