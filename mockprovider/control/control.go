package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heldstream/heldstream/mockprovider"
)

// Prefix is where the control API lives, out of the way of every base URL.
const Prefix = "/_replay/"

// Handler serves the control API under Prefix, and hands everything else to
// the Server. Requests from web pages are refused, whatever they are for: their
// Origin or Host gives them away.
type Handler struct {
	Server *mockprovider.Server
	// Token, when set, is what every control request must bear. Without one
	// the API answers only on loopback addresses.
	Token string
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	steers := strings.HasPrefix(r.URL.Path+"/", Prefix)
	status, why := h.stranger(r)
	if steers && status == 0 {
		status, why = h.forbids(r)
	}
	switch {
	case status != 0:
		fail(w, status, why)
	case steers:
		h.mux().ServeHTTP(w, r)
	default:
		h.Server.ServeHTTP(w, r)
	}
}

// endpoint is one of the API, with the names that its query may have.
type endpoint struct {
	method, path string
	query        []string
	do           http.HandlerFunc
}

func (h *Handler) endpoints() []endpoint {
	return []endpoint{
		{http.MethodGet, "state", nil, h.state},
		{http.MethodGet, "journal", []string{"after", "limit", "wait", "kind", "gate", "what"}, h.journal},
		{http.MethodGet, "exchanges/{id}", nil, h.exchange},
		{http.MethodGet, "gates", nil, h.gates},
		{http.MethodPost, "release", nil, h.release},
		{http.MethodPost, "reset", nil, h.reset},
	}
}

func (h *Handler) mux() *http.ServeMux {
	m := http.NewServeMux()
	var all []string
	for _, e := range h.endpoints() {
		m.HandleFunc(e.method+" "+Prefix+e.path, e.serve)
		m.HandleFunc(Prefix+e.path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", e.method)
			fail(w, http.StatusMethodNotAllowed, e.path+" takes "+e.method+", not "+r.Method)
		})
		all = append(all, e.method+" "+e.path)
	}
	m.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusNotFound, "the control API has no "+strconv.Quote(r.URL.Path)+"; under "+Prefix+" there are "+strings.Join(all, ", "))
	})
	return m
}

// serve refuses what would be passed over: with a misspelled name the answer
// would be to another question.
func (e endpoint) serve(w http.ResponseWriter, r *http.Request) {
	for name := range r.URL.Query() {
		if !slices.Contains(e.query, name) {
			fail(w, http.StatusBadRequest, "unknown query "+strconv.Quote(name)+"; "+e.path+" takes "+or(strings.Join(e.query, ", "), "none"))
			return
		}
	}
	e.do(w, r)
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// state tells what a finished test should look at.
func (h *Handler) state(w http.ResponseWriter, _ *http.Request) {
	unmatched, violations := h.Server.Breaches()
	reply(w, map[string]any{
		"unused": list(h.Server.Unused()), "gates": h.Server.Gates(), "unmatched": unmatched, "violations": violations,
	})
}

func list[T any](all []T) []T { return append([]T{}, all...) }

// journal lists entries after a cursor. With wait=10s it waits so long for
// the first of the kind (and gate, and what) asked for.
func (h *Handler) journal(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	after, limit, wait, err := page(q)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	j := h.Server.Journal()
	if wait > 0 {
		_, dropped := j.Read(after, 0)
		ctx, cancel := context.WithTimeout(r.Context(), wait)
		defer cancel()
		e, err := j.Wait(ctx, after, wanted(q))
		if err != nil {
			fail(w, http.StatusGatewayTimeout, "nothing of the kind came within "+wait.String())
			return
		}
		reply(w, answer{Entries: []line{newLine(e)}, Dropped: dropped, Next: e.Cursor})
		return
	}
	entries, dropped := j.Read(after, limit)
	a := answer{Entries: []line{}, Dropped: dropped, Next: after}
	accept := wanted(q)
	for _, e := range entries {
		a.Next = e.Cursor
		if accept(e) {
			a.Entries = append(a.Entries, newLine(e))
		}
	}
	reply(w, a)
}

type answer struct {
	Entries []line `json:"entries"`
	Dropped int64  `json:"dropped"` // entries after the cursor that are gone
	Next    int64  `json:"next"`    // the cursor to go on from
}

// line is an entry with what names its exchange.
type line struct {
	mockprovider.Entry
	Agent  string             `json:"agent"`
	Thread string             `json:"thread,omitempty"`
	Class  mockprovider.Class `json:"class"`
	Why    string             `json:"why"`
	N      int                `json:"n"`
	Try    int                `json:"try"`
	Reply  int                `json:"reply"`
}

func newLine(e mockprovider.Entry) line {
	x := e.Exchange
	return line{e, x.Agent, x.Thread, x.Class, x.Why, x.N, x.Try, x.Reply}
}

// credentials are the headers that clients send them in.
var credentials = []string{"Authorization", "Proxy-Authorization", "Cookie", "Api-Key", "X-Api-Key"}

// exchange shows one request whole, while the journal has it; but for its
// credentials.
func (h *Handler) exchange(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("id"))
	entries, _ := h.Server.Journal().Read(0, int(^uint(0)>>1))
	for _, e := range entries {
		if err == nil && e.ID == id {
			x := *e.Exchange
			x.Header = x.Header.Clone()
			for _, name := range credentials {
				if x.Header.Get(name) != "" {
					x.Header.Set(name, "(not shown)")
				}
			}
			reply(w, x)
			return
		}
	}
	fail(w, http.StatusNotFound, "the journal has no exchange "+strconv.Quote(r.PathValue("id")))
}

func (h *Handler) gates(w http.ResponseWriter, _ *http.Request) { reply(w, h.Server.Gates()) }

func (h *Handler) release(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Gate, Agent, With string
		Nth               int
		Open              bool
	}
	dec := json.NewDecoder(io.LimitReader(r.Body, 1<<16))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&body); err != nil {
		fail(w, http.StatusBadRequest, `a release is a JSON object as {"gate":"NAME","nth":1,"agent":"main","open":false,"with":"failed:CODE"}: `+err.Error())
		return
	}
	n, err := h.Server.TryRelease(mockprovider.Release{Gate: body.Gate, Agent: body.Agent, Nth: body.Nth, Open: body.Open, With: body.With})
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	reply(w, map[string]int{"released": n})
}

func (h *Handler) reset(w http.ResponseWriter, _ *http.Request) {
	h.Server.Reset()
	reply(w, map[string]bool{"reset": true})
}

// longest is how long a journal request may wait, whatever it asks for.
const longest = 10 * time.Minute

var errQuery = errors.New("after and limit are numbers, wait is a duration as 10s")

func page(q url.Values) (after int64, limit int, wait time.Duration, err error) {
	limit = 1000
	var errs [3]error
	if v := q.Get("after"); v != "" {
		after, errs[0] = strconv.ParseInt(v, 10, 64)
	}
	if v := q.Get("limit"); v != "" {
		limit, errs[1] = strconv.Atoi(v)
	}
	if v := q.Get("wait"); v != "" {
		wait, errs[2] = time.ParseDuration(v)
	}
	if errors.Join(errs[:]...) != nil || after < 0 || limit < 0 || wait < 0 {
		return 0, 0, 0, errQuery
	}
	if kind := mockprovider.EventKind(q.Get("kind")); kind != "" && !slices.Contains(mockprovider.EventKinds, kind) {
		return 0, 0, 0, fmt.Errorf("there is no kind %q; the kinds are %q", kind, mockprovider.EventKinds)
	}
	return after, limit, min(wait, longest), nil
}

func wanted(q url.Values) func(mockprovider.Entry) bool {
	kind, gate, what := q.Get("kind"), q.Get("gate"), q.Get("what")
	return func(e mockprovider.Entry) bool {
		return (kind == "" || kind == string(e.Kind)) && (gate == "" || gate == e.Gate) && (what == "" || what == e.What)
	}
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

func fail(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": why})
}
