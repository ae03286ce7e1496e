package harness

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"maps"
	"net/http"
	"strings"

	"github.com/heldstream/heldstream/harness/eventlog"
)

// maxToolRequest bounds what codex may ask of the tools at once, in bytes.
const maxToolRequest = 4 << 20

// serveTool answers a request over HTTP. Who is no codex of ours is refused by
// the tools themselves.
func (e *Env) serveTool(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	id, ok := e.tools.tokens.Caller(token)
	a := e.agents.find(func(a *agent) bool { return a.id == id })
	if !ok || a == nil {
		e.tools.current.Load().ServeHTTP(w, r)
		return
	}
	e.askTools(a, w, r)
}

// toolsOf is where a codex from tape asks; the tape does not have its token.
func (e *Env) toolsOf(name string) http.Handler {
	a := e.agent(name)
	if e.tools == nil || a == nil {
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+a.token)
		e.askTools(a, w, r)
	})
}

// askTools hands a request of an agent's codex to the tools. The answer goes in
// one piece, so that a recorder can note it before codex has any of it; and that
// codex left is noted before the manager hears of it.
func (e *Env) askTools(a *agent, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxToolRequest))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	question := e.recorder.Asked(a.name, r, body)
	ctx, leave := context.WithCancel(context.WithoutCancel(r.Context()))
	defer leave()
	defer context.AfterFunc(r.Context(), func() { question.Left(); leave() })()
	if e.dealtWith(ctx) != nil {
		return
	}
	inner := r.WithContext(ctx)
	inner.Body = io.NopCloser(bytes.NewReader(body))
	s, answer := e.tools.current.Load(), &wholeAnswer{header: http.Header{}}
	s.ServeHTTP(answer, inner)
	if s.stopped.Load() {
		// The codexes are closed next: whether one still read this is chance.
		// It is the noted leaving that is waited for: returning takes AfterFunc back.
		<-ctx.Done()
		return
	}
	question.Answered(answer.body.Bytes())
	answer.to(w)
}

// dealtWith waits until the manager has dealt with what was read so far. What
// codex says on its standard output before it asks comes by another way, and is
// not to be overtaken.
func (e *Env) dealtWith(ctx context.Context) error {
	return e.log.Wait(ctx, func([]eventlog.Event) (bool, error) { return e.run.Work == 0, nil })
}

// wholeAnswer keeps an answer until it is whole.
type wholeAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *wholeAnswer) Header() http.Header         { return a.header }
func (a *wholeAnswer) Write(p []byte) (int, error) { return a.body.Write(p) }
func (a *wholeAnswer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *wholeAnswer) to(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(cmp.Or(a.status, http.StatusOK))
	_, _ = w.Write(a.body.Bytes()) // who left does not read it
}
