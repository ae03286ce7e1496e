package mockprovider_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	mp "github.com/heldstream/heldstream/mockprovider"
)

func TestEncodedBodies(t *testing.T) {
	plain := body("hello")
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	_, _ = io.WriteString(w, plain)
	require.NoError(t, w.Close())
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	require.NoError(t, err)
	zs := string(enc.EncodeAll([]byte(plain), nil))
	bomb := string(enc.EncodeAll(bytes.Repeat([]byte(" "), 1<<20), nil))
	require.NoError(t, enc.Close())
	for _, tt := range []struct {
		name, encoding, body string
		status               int
		code                 string
	}{
		{"zstd", "zstd", zs, 200, ""},
		{"gzip", "gzip", gz.String(), 200, ""},
		{"identity", "identity", plain, 200, ""},
		{"not zstd", "zstd", plain, 400, "bad_body"},
		{"zstd cut off", "zstd", zs[:len(zs)-5], 400, "bad_body"},
		{"not gzip", "gzip", plain, 400, "bad_encoding"},
		{"unknown", "br", plain, 415, "bad_encoding"},
		{"bomb", "zstd", bomb, 413, "body_too_large"},
		{"too large", "", strings.Repeat("x", 20_000), 413, "body_too_large"},
		{"no JSON", "", "{", 400, "invalid_json"},
		{"deep", "", strings.Repeat("[", 15_000), 400, "invalid_json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, &mp.Server{Script: sayN, Limits: mp.Limits{Body: 16_000}}, func(t *testing.T, r *rig) {
				got := r.send("POST", "/v1/responses", tt.body, "Content-Encoding", tt.encoding)
				require.Equal(t, tt.status, got.status, got.raw)
				require.Equal(t, tt.code, gjson.Get(got.raw, "error.code").Str)
				if tt.status == 200 {
					require.JSONEq(t, plain, string(r.seen()[0].Exchange.Body))
				} else {
					require.Equal(t, mp.Unmatched, r.seen()[0].Kind, "the run must fail, and the log say why")
				}
			})
		})
	}
}

func TestSlowBody(t *testing.T) {
	inBubble(t, &mp.Server{Script: sayN, Limits: mp.Limits{Read: time.Second}}, func(t *testing.T, r *rig) {
		slow, feed := io.Pipe()
		req, err := http.NewRequestWithContext(r.t.Context(), "POST", "http://mock/v1/responses", slow)
		require.NoError(t, err)
		got := r.do(req)
		require.NoError(t, feed.Close())
		require.Equal(t, 408, got.status)
	})
}

func TestABodyIsAnObject(t *testing.T) {
	for _, body := range []string{``, `[]`, `"hello"`, `42`, `null`} {
		t.Run(body, func(t *testing.T) {
			inBubble(t, &mp.Server{Script: sayN}, func(t *testing.T, r *rig) {
				rep := r.send("POST", "/v1/responses", body)
				require.Equal(t, 400, rep.status)
				require.Equal(t, "invalid_json", gjson.Get(rep.raw, "error.code").Str)
				require.Contains(t, r.ask(main1, "a").raw, "reply 1", "no reply was used up")
			})
		})
	}
}
