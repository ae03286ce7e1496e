package record_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/record"
)

const other = "00000000-0000-4000-8000-000000000002"

// question is a request to the manager's tools, by who has the token.
func question(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer TOKENOFTHEAGENT")
	r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	return r
}

func ask(r *record.Recorder, body string) *record.Question {
	return r.Asked("main", question(body), []byte(body))
}

func TestWhatCodexAsksOfTheToolsIsKeptAndItsTokenIsNot(t *testing.T) {
	text := runWith(t, func(r *record.Recorder, say, hear func(string), _ func(eventlog.Body)) {
		ask(r, `{"id":0,"method":"initialize"}`).Answered([]byte(`{"id":0}`))
		hear(`{"method":"thread/started","params":{"thread":{"id":"` + thread + `"}}}`)
		hear(`{"id":7,"method":"mayI","params":{"threadId":"` + thread + `"}}`)
		call := ask(r, `{"id":7,"method":"tools/call","params":{"_meta":{"threadId":"`+thread+`"},"arguments":{"agentId":"`+other+`"}}}`)
		call.Left()
		call.Answered([]byte(`{"id":7}`))
		ask(r, `{"method":"notifications/cancelled","params":{"requestId":7}}`).Answered(nil)
	})
	require.NotContains(t, text, "TOKENOFTHEAGENT")
	require.NotContains(t, text, "Authorization")
	for _, want := range []string{
		`? - request m1 initialize {"body":{"id":0,"method":"initialize"},"header":{"Mcp-Protocol-Version":["2025-06-18"]},"method":"POST","path":"/mcp"}` + "\n",
		"~ - event m1 headers\n~ - event m1 body \"#",
		`? main-T1 request m2 tools/call `,
		`"agentId":"` + other + `"`, // the manager's, which is the same in every run
		"x main-T1 cut m2\n? - request m3 notifications/cancelled ",
		`"params":{"requestId":7}`, // of MCP, whatever number codex's own call 7 has
	} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "event m2", "who has left is told nothing")
}

func TestARunThatIsNotRecordedNotesNothing(t *testing.T) {
	var r *record.Recorder
	q := r.Asked("main", question(""), nil)
	q.Answered(nil)
	q.Left()
}
