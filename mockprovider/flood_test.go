package mockprovider_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/internal/memnet"
	mp "github.com/heldstream/heldstream/mockprovider"
)

// rawConn is a connection to a Server behind an http.Server with limits on
// headers, and what the test writes on it.
func rawConn(t *testing.T, srv *mp.Server, test func(t *testing.T, c net.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := memnet.Listen()
		hs := &http.Server{Handler: srv, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
		go func() { _ = hs.Serve(l) }()
		c, err := l.Dial(t.Context(), "", "")
		require.NoError(t, err)
		test(t, c)
		_ = c.Close()
		srv.Close()
		require.NoError(t, hs.Shutdown(t.Context()), "nothing is left behind")
		_ = l.Close()
	})
}

const requestLine = "POST /v1/responses HTTP/1.1\r\nHost: mock\r\n"

func TestAFloodOfHeadersIsRefused(t *testing.T) {
	srv := &mp.Server{Script: sayN}
	rawConn(t, srv, func(t *testing.T, c net.Conn) {
		go func() {
			_, _ = io.WriteString(c, requestLine)
			for range 1000 { // ends with the connection
				if _, err := io.WriteString(c, "X-Flood: "+strings.Repeat("x", 1000)+"\r\n"); err != nil {
					return
				}
			}
		}()
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, resp.StatusCode)
		entries, _ := srv.Journal().Read(0, 10)
		require.Empty(t, entries, "no request came of it")
	})
}

func TestHeadersThatDoNotEndAreLeft(t *testing.T) {
	rawConn(t, &mp.Server{Script: sayN}, func(t *testing.T, c net.Conn) {
		begin := time.Now()
		_, err := io.WriteString(c, requestLine)
		require.NoError(t, err)
		_, err = io.ReadAll(c)
		require.NoError(t, err)
		require.Equal(t, 10*time.Second, time.Since(begin), "the connection ends by the server's limit")
	})
}

func TestABodyThatDoesNotEndIsRefused(t *testing.T) {
	srv := &mp.Server{Script: sayN, Limits: mp.Limits{Read: 3 * time.Second}}
	rawConn(t, srv, func(t *testing.T, c net.Conn) {
		begin := time.Now()
		_, err := io.WriteString(c, requestLine+"Content-Length: 1000\r\n\r\n{")
		require.NoError(t, err)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusRequestTimeout, resp.StatusCode)
		require.Equal(t, 3*time.Second, time.Since(begin))
	})
}

func TestAClientThatTakesNothingIsLeft(t *testing.T) {
	srv := &mp.Server{Script: sayN, Limits: mp.Limits{Write: 2 * time.Second}}
	rawConn(t, srv, func(t *testing.T, c net.Conn) {
		b := body("a")
		_, err := io.WriteString(c, requestLine+"Content-Length: "+strconv.Itoa(len(b))+"\r\n\r\n"+b)
		require.NoError(t, err)
		begin := time.Now()
		_, err = srv.Journal().Wait(t.Context(), 0, func(e mp.Entry) bool { return e.Kind == mp.Gone })
		require.NoError(t, err)
		require.Equal(t, 2*time.Second, time.Since(begin))
	})
}
