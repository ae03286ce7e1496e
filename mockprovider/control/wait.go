package control

import (
	"context"
	"net/http"
	"time"
)

// longest is how long a journal request may wait, whatever it asks for.
const longest = 10 * time.Minute

func contextFor(r *http.Request, wait time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.Context(), min(wait, longest))
}
