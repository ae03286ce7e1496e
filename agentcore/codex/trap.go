package codex

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
)

// Trap is a proxy on loopback that lets nothing through: it remembers which
// host was asked for, and answers 403. It is safe for concurrent use.
type Trap struct {
	server *http.Server
	url    string
	onHost func(string)
	served chan struct{}

	mu    sync.Mutex
	hosts []string // in the order of first asking
}

// StartTrap starts one; onHost, if not nil, is called for every request, with
// host and port as they were asked for.
func StartTrap(onHost func(host string)) (*Trap, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("trap: %w", err)
	}
	t := &Trap{url: "http://" + ln.Addr().String(), onHost: onHost, served: make(chan struct{})}
	t.server = &http.Server{Handler: t, MaxHeaderBytes: 64 << 10}
	go func() {
		defer close(t.served)
		if err := t.server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			t.note("trap failed: " + err.Error())
		}
	}()
	return t, nil
}

// URL is what the proxy variables are set to.
func (t *Trap) URL() string { return t.url }

// Hosts are the hosts that were asked for, each once.
func (t *Trap) Hosts() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.hosts...)
}

// Close stops it.
func (t *Trap) Close() error {
	err := t.server.Close()
	<-t.served
	return err
}

// ServeHTTP implements http.Handler: CONNECT and plain proxy requests alike
// name their host.
func (t *Trap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t.note(r.Host)
	http.Error(w, "the test machine lets nothing out", http.StatusForbidden)
}

func (t *Trap) note(host string) {
	t.mu.Lock()
	known := false
	for _, h := range t.hosts {
		known = known || h == host
	}
	const most = 1000 // a client that asks for made-up names must not fill the memory
	if !known && len(t.hosts) < most {
		t.hosts = append(t.hosts, host)
	}
	t.mu.Unlock()
	if t.onHost != nil {
		t.onHost(host)
	}
}
