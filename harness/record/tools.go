package record

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/heldstream/heldstream/agentcore/codex/tape"
)

type (
	asked struct { // of the manager's tools, by codex
		id           asking
		method, path string
		header       http.Header
		body         []byte
	}
	answered struct {
		id   asking
		body []byte
	}
	left struct{ id asking } // by codex
)

// Question is a request of codex's to the manager's tools. A nil one, of a run
// that is not recorded, notes nothing.
type Question struct {
	r     *Recorder
	agent string
	id    asking
}

// Asked notes a request of an agent's codex to the manager's tools that was
// read. The token by which it says who it is is left out.
func (r *Recorder) Asked(agent string, q *http.Request, body []byte) *Question {
	if r == nil {
		return nil
	}
	header := q.Header.Clone()
	header.Del("Authorization")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.questions++
	id := asking{tools: true, id: r.questions}
	r.entries = append(r.entries, entry{agent: agent, what: asked{id, q.Method, q.URL.Path, header, bytes.Clone(body)}})
	return &Question{r, agent, id}
}

// Answered notes the answer, before codex gets it.
func (q *Question) Answered(body []byte) {
	if q != nil {
		q.r.add(entry{agent: q.agent, what: answered{q.id, append([]byte{}, body...)}})
	}
}

// Left notes that codex does not wait for the answer any more, before the manager
// hears of it.
func (q *Question) Left() {
	if q != nil {
		q.r.add(entry{agent: q.agent, what: left{q.id}})
	}
}

// asked adds a request to the tools. Its name is the method of MCP.
func (s *section) asked(w asked) error {
	wire, err := wireOf(w.method, w.path, w.header, w.body)
	if err != nil {
		return err
	}
	a := &act{line: tape.Line{Mark: tape.Request, Verb: tape.Ask, Name: w.method}, value: wire}
	body, _ := wire["body"].(map[string]any)
	if method, ok := body["method"].(string); ok {
		a.line.Name = method
	}
	params, _ := body["params"].(map[string]any)
	if n, ok := params["requestId"].(json.Number); ok {
		params["requestId"] = json.RawMessage(n) // MCP's, and none of codex's calls
	}
	meta, _ := params["_meta"].(map[string]any)
	a.thread, _ = meta["threadId"].(string)
	s.ask(w.id, a)
	return nil
}
