package memnet_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/heldstream/heldstream/internal/memnet"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestServesHTTP(t *testing.T) {
	l := memnet.Listen()
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	})}
	done := make(chan error)
	go func() { done <- srv.Serve(l) }()
	tr := &http.Transport{DialContext: l.Dial}
	defer tr.CloseIdleConnections()
	resp, err := (&http.Client{Transport: tr}).Post("http://memory/", "text/plain", http.NoBody)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.NoError(t, srv.Close())
	require.ErrorIs(t, <-done, http.ErrServerClosed)
}

func TestDialEnds(t *testing.T) {
	l := memnet.Listen()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.Dial(ctx, "", "")
	require.ErrorIs(t, err, context.Canceled, "nobody accepts")
	require.NoError(t, l.Close())
	_, err = l.Dial(t.Context(), "", "")
	require.ErrorIs(t, err, net.ErrClosed)
	_, err = l.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
	require.Equal(t, "memory", l.Addr().String()+"")
}
