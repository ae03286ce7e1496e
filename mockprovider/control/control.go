package control

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/heldstream/heldstream/mockprovider"
)

// Prefix is where the control API lives, out of the way of every base URL.
const Prefix = "/_replay/"

// Handler serves the control API under Prefix, and hands everything else to
// the Server. Requests from web pages are refused: their Origin or Host gives
// them away.
type Handler struct {
	Server *mockprovider.Server
	// Token, when set, is what every control request must bear. Without one
	// the API answers only on loopback addresses.
	Token string
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, Prefix) {
		h.Server.ServeHTTP(w, r)
		return
	}
	if status, why := h.forbids(r); status != 0 {
		fail(w, status, why)
		return
	}
	h.mux().ServeHTTP(w, r)
}

// forbids says why a request may not steer the Server; 0 lets it.
func (h *Handler) forbids(r *http.Request) (status int, why string) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case h.Token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(h.Token)) != 1:
		return http.StatusUnauthorized, "the control API wants its token: Authorization: Bearer TOKEN"
	case h.Token == "" && !onLoopback(r):
		return http.StatusForbidden, "the control API is off on this address; serve with a token to use it"
	case h.Token == "" && !isLoopback(r.Host):
		return http.StatusForbidden, "foreign Host " + strconv.Quote(r.Host)
	case foreignOrigin(r):
		return http.StatusForbidden, "foreign Origin " + strconv.Quote(r.Header.Get("Origin"))
	}
	return 0, ""
}

// onLoopback says that the request came in at a loopback address.
func onLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && isLoopback(addr.String())
}

func isLoopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func foreignOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Header.Get("Sec-Fetch-Site") == "cross-site"
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host != r.Host
}

func (h *Handler) mux() *http.ServeMux {
	m := http.NewServeMux()
	m.HandleFunc("GET "+Prefix+"state", h.state)
	m.HandleFunc("GET "+Prefix+"journal", h.journal)
	m.HandleFunc("GET "+Prefix+"exchanges/{id}", h.exchange)
	m.HandleFunc("GET "+Prefix+"gates", h.gates)
	m.HandleFunc("POST "+Prefix+"release", h.release)
	m.HandleFunc("POST "+Prefix+"reset", h.reset)
	return m
}

// state tells what a finished test should look at.
func (h *Handler) state(w http.ResponseWriter, _ *http.Request) {
	reply(w, map[string]any{"unused": list(h.Server.Unused()), "gates": h.Server.Gates()})
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
		ctx, cancel := contextFor(r, wait)
		defer cancel()
		e, err := j.Wait(ctx, after, wanted(q))
		if err != nil {
			fail(w, http.StatusGatewayTimeout, "nothing of the kind came within "+wait.String())
			return
		}
		reply(w, answer{Entries: []line{newLine(e)}, Next: e.Cursor})
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

// exchange shows one request whole, while the journal has it; but for its
// credentials.
func (h *Handler) exchange(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("id"))
	entries, _ := h.Server.Journal().Read(0, int(^uint(0)>>1))
	for _, e := range entries {
		if err == nil && e.ID == id {
			x := *e.Exchange
			x.Header = x.Header.Clone()
			if x.Header.Get("Authorization") != "" {
				x.Header.Set("Authorization", "(not shown)")
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
	return after, limit, wait, nil
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
