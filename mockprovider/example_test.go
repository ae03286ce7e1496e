package mockprovider_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	mp "github.com/heldstream/heldstream/mockprovider"
)

// A reply that waits at a gate: what the client does meanwhile happens in the
// middle of the stream, each time.
func ExampleServer_Release() {
	srv := &mp.Server{Script: &mp.Script{Replies: []mp.Reply{{
		To: mp.Turn, Say: []string{"at last"}, Holds: []mp.Hold{{Gate: "answer", Before: "response.completed"}},
	}}}}
	hs := httptest.NewServer(srv)
	defer hs.Close()
	defer srv.Close()

	resp, err := http.Post(hs.URL+"/v1/responses", "application/json", strings.NewReader(`{"model":"m","stream":true,"input":"hello"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	held, err := srv.Journal().Wait(context.Background(), 0, func(e mp.Entry) bool { return e.Kind == mp.Held })
	fmt.Println(held.Gate, "stands before", held.What, err)
	fmt.Println("released:", srv.Release(mp.Release{Gate: "answer"}))
	stream, err := io.ReadAll(resp.Body)
	fmt.Println(strings.Count(string(stream), "event: response.completed"), err)
	// Output:
	// answer stands before response.completed <nil>
	// released: 1
	// 1 <nil>
}
