package mockprovider

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// sides are the requests that Codex makes beside its work, with the answer
// that lets it go on. A path stands for all that end in it, or that have it
// within when it ends in a slash.
var sides = []struct {
	method, path string
	status       int
}{
	{"POST", "/oauth/token", http.StatusOK},
	{"", "/alpha/search", http.StatusNotFound},
	{"", "/images/generations", http.StatusNotFound},
	{"", "/images/edits", http.StatusNotFound},
	{"", "/realtime/calls", http.StatusNotFound},
	{"", "/v1/live", http.StatusNotFound},
	{"", "/wham/", http.StatusNotFound},
	{"", "/ps/plugins/", http.StatusNotFound},
	{"", "/ps/mcp", http.StatusNotFound},
	{"", "/codex/analytics-events/events", http.StatusNotFound},
	{"", "/api/codex/apps", http.StatusNotFound},
	{"", "/connectors/directory/list", http.StatusNotFound},
	{"", "/connectors/directory/list_workspace", http.StatusNotFound},
	{"", "/.well-known/", http.StatusNotFound},
}

// sideAnswer is the harmless answer to a known side request.
func sideAnswer(method, path string) (answer, bool) {
	for _, s := range sides {
		if s.method != "" && s.method != method || !sidePath(s.path, path) {
			continue
		}
		if s.status == http.StatusOK {
			return jsonAnswer(s.status, tokens()), true
		}
		return jsonAnswer(s.status, []byte(`{"error":{"code":"not_found","message":"the mock provider does not have this"}}`)), true
	}
	return answer{}, false
}

func sidePath(known, path string) bool {
	if strings.HasSuffix(known, "/") {
		return strings.Contains(path, known)
	}
	return strings.HasSuffix(path, known)
}

// tokens is what the token endpoint gives: tokens that nobody signed, with an
// expiry far away.
func tokens() []byte {
	enc := base64.RawURLEncoding.EncodeToString
	jwt := enc([]byte(`{"alg":"none","typ":"JWT"}`)) + "." +
		enc([]byte(`{"exp":4102444800,"https://api.openai.com/auth":{"chatgpt_plan_type":"pro","chatgpt_account_id":"account_1","chatgpt_user_id":"user_1"}}`)) + "." + enc([]byte("none"))
	return []byte(`{"id_token":"` + jwt + `","access_token":"` + jwt + `","refresh_token":"refresh_1"}`)
}
