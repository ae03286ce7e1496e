package tape_test

import (
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex/tape"
)

// toolCall is a call of one of the manager's tools, with the answer to it, among
// requests to the provider: both have the number 1.
func toolCall(answer string) []string {
	return []string{
		`> T1 note go {"threadId":"T1"}`,
		`< T1 note itemStarted`,
		`? T1 request m1 tools/call {"body":{"params":{"arguments":{"cwd":"{{cwd}}"}}},"method":"POST","path":"/mcp"}`,
		`~ T1 event m1 headers`,
		`~ T1 event m1 body ` + string(tape.NewHide(tape.Places{"cwd": "/run/one"}).Digest([]byte(answer))),
		`~ T1 event m1 end`,
		`< T1 note itemCompleted`,
		`? T1 request 1 turn ` + request,
	}
}

const goOn = `{"method":"go","params":{"threadId":"T1"}}`

func TestToolsAreAskedAgainAndTheirAnswerIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, asked := make(chan struct{}), ""
		r := playWith(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			body, _ := io.ReadAll(q.Body)
			asked = q.Method + " " + q.URL.Path + " " + string(body)
			<-release
			_, _ = io.WriteString(w, `{"folder":"/run/one"}`)
		}), parse(t, slices.Concat(toolCall(`{"folder":"/run/one"}`), answered(t, 1, hello))...), hello)
		require.Equal(t, []string{`{"method":"itemStarted"}`}, r.say(goOn))
		require.Equal(t, `POST /mcp {"params":{"arguments":{"cwd":"/run/one"}}}`, asked)
		require.Equal(t, 1, r.player.Open())
		require.Contains(t, r.player.WaitsFor(), "waits for act 4, the manager's headers of the answer to request m1")
		close(release)
		require.Equal(t, []string{`{"method":"itemCompleted"}`}, r.wait())
		_, known := r.player.Class([]byte(`{"params":{"arguments":{"cwd":"/run/one"}}}`))
		require.False(t, known, "its method is no class of the provider's")
		r.close()
		require.Empty(t, r.departed)
	})
}

func TestToolsThatAnswerOtherwiseDepart(t *testing.T) {
	for _, tt := range []struct {
		name  string
		tools http.Handler
		want  string
	}{
		{"another answer", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"folder":"/run/two"}`) }),
			`act 3, codex's request m1 (tools/call): the content of body is not the recorded one, came {"folder":"/run/two"}; the manager's tools answer otherwise`},
		{"a broken connection", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
			"recorded event headers, came cut"},
		{"none at all", nil, "this run has none of the manager's tools"},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			r := playWith(t, tt.tools, parse(t, toolCall(`{"folder":"/run/one"}`)...), hello)
			require.Equal(t, []string{`{"method":"itemStarted"}`}, r.say(goOn))
			require.Len(t, r.departed, 1)
			require.Contains(t, r.departed[0], tt.want)
			r.server.Close()
		})
	}
}

func TestACallOfAToolIsLeftAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		left := false
		r := playWith(t, http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
			<-q.Context().Done()
			left = true
		}), parse(t,
			`? T1 request m1 tools/call {"method":"POST","path":"/mcp"}`, `> T1 note stop {"threadId":"T1"}`, `x T1 cut m1`, `< T1 note stopped`))
		require.Empty(t, r.wait())
		require.False(t, left)
		require.Equal(t, []string{`{"method":"stopped"}`}, r.say(`{"method":"stop","params":{"threadId":"T1"}}`))
		require.True(t, left)
		require.Zero(t, r.player.Open())
		r.close()
		require.Empty(t, r.departed)
	})
}
