package harness

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/agentcore/mcp"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/reading"
	"github.com/heldstream/heldstream/harness/record"
)

// silent is a codex that does nothing.
type silent struct{ codex.Process }

func (silent) Start(codex.Command, codex.Callbacks) (codex.Process, error) { return silent{}, nil }

// served is a run with tools, and an agent whose codex is recorded.
func served(t *testing.T) (*Env, *agent) {
	t.Helper()
	e := &Env{log: eventlog.New(), run: reading.New(), tools: &tools{}, recorder: &record.Recorder{}}
	e.tools.current.Store(&serving{Server: mcp.New(mcp.Options{Tokens: &e.tools.tokens})})
	a := &agent{name: "main"}
	e.agents.add(a)
	a.token = e.tools.tokens.New(a.id)
	_, err := e.recorder.Backend(silent{}).Start(codex.Command{Agent: "main"}, codex.Callbacks{})
	require.NoError(t, err)
	return e, a
}

// taped are the verbs that were recorded so far.
func (e *Env) taped(t *testing.T) string {
	t.Helper()
	tp, err := e.recorder.Tape(tape.Head{})
	require.NoError(t, err)
	var verbs []string
	for _, l := range tp.Sections[0].Lines {
		verbs = append(verbs, strings.TrimSpace(l.Verb+" "+l.Name))
	}
	return strings.Join(verbs, ", ")
}

const (
	hello       = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	initialized = "request initialize, event headers, event body, event end"
)

func toolRequest(ctx context.Context, token string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(hello))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	return r
}

// writing looks at the tape when the first byte goes out.
type writing struct {
	*httptest.ResponseRecorder
	first func()
}

func (w *writing) WriteHeader(status int) {
	w.first()
	w.ResponseRecorder.WriteHeader(status)
}

func TestTheToolsAnswerIsNotedBeforeAnyOfItGoesOut(t *testing.T) {
	e, a := served(t)
	before := ""
	w := &writing{httptest.NewRecorder(), func() { before = e.taped(t) }}
	e.serveTool(w, toolRequest(t.Context(), a.token))
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.Equal(t, initialized, before)
}

func TestWhoHasNoTokenIsRefusedAndNotNoted(t *testing.T) {
	e, _ := served(t)
	w := httptest.NewRecorder()
	e.serveTool(w, toolRequest(t.Context(), "guessed"))
	require.Equal(t, http.StatusUnauthorized, w.Code)
	require.Empty(t, e.taped(t))
}

func TestACodexFromTapeAsksWithTheTokenOfItsAgent(t *testing.T) {
	e, _ := served(t)
	w := httptest.NewRecorder()
	e.toolsOf("main").ServeHTTP(w, toolRequest(t.Context(), "(secret)"))
	require.Equal(t, http.StatusOK, w.Code)
	require.Nil(t, e.toolsOf("nobody"))
}

func TestACallDoesNotOvertakeWhatCodexSaidBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, a := served(t)
		e.worked(+1)
		w := httptest.NewRecorder()
		go e.serveTool(w, toolRequest(t.Context(), a.token))
		synctest.Wait()
		require.Empty(t, w.Body.String(), "the manager is at work")
		e.worked(-1)
		synctest.Wait()
		require.NotEmpty(t, w.Body.String())
	})
}

func TestLeavingIsNotedAndWhatComesOfStoppingReachesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, a := served(t)
		ctx, leave := context.WithCancel(t.Context())
		w := httptest.NewRecorder()
		e.stopTools()
		go e.serveTool(w, toolRequest(ctx, a.token))
		synctest.Wait()
		require.Equal(t, "request initialize", e.taped(t))
		leave()
		synctest.Wait()
		require.Equal(t, "request initialize, cut", e.taped(t))
		require.Empty(t, w.Body.String())
	})
}
