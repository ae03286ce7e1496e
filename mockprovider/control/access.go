package control

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// stranger says why a request may not come in at all: a web page can reach
// loopback as well, from its own origin, or by a name of its own for it. Who
// serves with a token may have other names.
func (h *Handler) stranger(r *http.Request) (status int, why string) {
	switch {
	case h.Token == "" && onLoopback(r) && !isLoopback(r.Host):
		return http.StatusForbidden, "foreign Host " + strconv.Quote(r.Host) + "; use the address that serve has printed"
	case foreignOrigin(r):
		return http.StatusForbidden, "foreign Origin " + strconv.Quote(r.Header.Get("Origin")) + "; web pages of other hosts are not served"
	}
	return 0, ""
}

// forbids says why a request may not steer the Server; 0 lets it.
func (h *Handler) forbids(r *http.Request) (status int, why string) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case h.Token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(h.Token)) != 1:
		return http.StatusUnauthorized, "the control API wants its token: Authorization: Bearer TOKEN"
	case h.Token == "" && !onLoopback(r):
		return http.StatusForbidden, "the control API is off on this address; serve with a token to use it"
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

// foreignOrigin: a page of this machine is no stranger.
func foreignOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return r.Header.Get("Sec-Fetch-Site") == "cross-site"
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host != r.Host && !isLoopback(u.Host)
}
