package mockprovider

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// refusal is why a request gets an error instead of a reply.
type refusal struct {
	status        int
	code, message string
}

func refuse(status int, code, format string, args ...any) *refusal {
	return &refusal{status, code, fmt.Sprintf(format, args...)}
}

// readBody reads and decodes a body within the limits.
func readBody(w http.ResponseWriter, r *http.Request, lim Limits) ([]byte, *refusal) {
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(lim.Read)) // not every writer has deadlines
	defer func() { _ = rc.SetReadDeadline(time.Time{}) }()
	plain, why := inflate(http.MaxBytesReader(w, r.Body, lim.Body), r.Header.Get("Content-Encoding"), lim.Body)
	if why != nil {
		return nil, why
	}
	defer plain.Close()
	body, err := io.ReadAll(io.LimitReader(plain, lim.Body+1))
	if int64(len(body)) > lim.Body {
		return nil, refuse(http.StatusRequestEntityTooLarge, "body_too_large", "the body is larger than %d bytes once decoded", lim.Body)
	}
	return body, bodyError(err, lim)
}

func inflate(r io.ReadCloser, encoding string, limit int64) (io.ReadCloser, *refusal) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return r, nil
	case "gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, refuse(http.StatusBadRequest, "bad_encoding", "the body is no gzip stream: %v", err)
		}
		return z, nil
	case "zstd":
		// A window of the whole body is the most that a client can need.
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(limit)), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, refuse(http.StatusBadRequest, "bad_encoding", "the body is no zstd stream: %v", err)
		}
		return z.IOReadCloser(), nil
	}
	return nil, refuse(http.StatusUnsupportedMediaType, "bad_encoding", "content-encoding %q: only zstd, gzip and identity are known", encoding)
}

func bodyError(err error, lim Limits) *refusal {
	if err == nil {
		return nil
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return refuse(http.StatusRequestEntityTooLarge, "body_too_large", "the body is larger than %d bytes", lim.Body)
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), errors.Is(err, zstd.ErrWindowSizeExceeded):
		return refuse(http.StatusRequestEntityTooLarge, "body_too_large", "the body is larger than %d bytes once decoded", lim.Body)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuse(http.StatusRequestTimeout, "body_too_slow", "the body did not come within %s", lim.Read)
	}
	return refuse(http.StatusBadRequest, "bad_body", "the body cannot be read: %v", err)
}
