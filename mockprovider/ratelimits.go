package mockprovider

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// rateLimitsEvent tells over a WebSocket what x-codex-* headers tell over
// HTTP.
const rateLimitsEvent = "codex.rate_limits"

type rateLimitWindow struct {
	UsedPercent   float64 `json:"used_percent"`
	WindowMinutes int64   `json:"window_minutes"`
	ResetAt       int64   `json:"reset_at"`
}

// rateLimits makes the event of the headers; nil if they tell of no limit.
func rateLimits(headers map[string]string) []byte {
	byName := map[string]string{}
	for k, v := range headers {
		byName[http.CanonicalHeaderKey(k)] = v
	}
	primary, secondary := limitWindow(byName, "primary"), limitWindow(byName, "secondary")
	if primary == nil && secondary == nil {
		return nil
	}
	reached := full(primary) || full(secondary)
	event, _ := json.Marshal(map[string]any{
		"type": rateLimitsEvent,
		"rate_limits": map[string]any{
			"allowed": !reached, "limit_reached": reached, "primary": primary, "secondary": secondary,
		},
	})
	return event
}

func full(w *rateLimitWindow) bool { return w != nil && w.UsedPercent >= 100 }

func limitWindow(headers map[string]string, which string) *rateLimitWindow {
	get := func(name string) string { return headers[http.CanonicalHeaderKey("x-codex-"+which+"-"+name)] }
	used, err := strconv.ParseFloat(get("used-percent"), 64)
	if err != nil {
		return nil
	}
	minutes, _ := strconv.ParseInt(get("window-minutes"), 10, 64) // absent: 0
	reset, _ := strconv.ParseInt(get("reset-at"), 10, 64)
	return &rateLimitWindow{used, minutes, reset}
}
