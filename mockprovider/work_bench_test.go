package mockprovider_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	mp "github.com/heldstream/heldstream/mockprovider"
)

// BenchmarkWork is what a streamed reply costs beside the network: reading,
// matching, recording, and making 11 events.
func BenchmarkWork(b *testing.B) {
	srv := &mp.Server{Script: benchScript}
	defer srv.Close()
	b.ReportAllocs()
	for range b.N {
		r := httptest.NewRequest(http.MethodPost, "/v1/responses", strings.NewReader(body("hello")))
		srv.ServeHTTP(&nowhere{http.Header{}}, r)
	}
}

// nowhere is a client that takes all and keeps nothing.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header         { return n.header }
func (n *nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (n *nowhere) WriteHeader(int)             {}
func (n *nowhere) Flush()                      {}
