package harness_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// liveBinary is the codex of the live tests. With HELDSTREAM_LIVE=1 it must be
// there; without, the test says why it is skipped.
func liveBinary(t *testing.T) string {
	t.Helper()
	if bin := os.Getenv("CODEX_BIN"); bin != "" {
		return bin
	}
	if os.Getenv("HELDSTREAM_LIVE") == "1" {
		t.Fatal("HELDSTREAM_LIVE=1 and no CODEX_BIN: set it to a codex binary, or use make test")
	}
	t.Skip("no CODEX_BIN: make test brings codex and runs this live")
	return ""
}
