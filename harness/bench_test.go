package harness_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/report"
)

// BenchmarkOverhead plays issue-5728 live and compares the processor time of
// this process (runner, provider, manager, log, judgement) with that of the
// codex processes that it has started.
func BenchmarkOverhead(b *testing.B) {
	bin := os.Getenv("CODEX_BIN")
	if bin == "" {
		b.Skip("no CODEX_BIN: make bench brings codex and measures this")
	}
	files, faults := harness.Load([]string{"../scenarios/compaction/issue-5728.toml"})
	require.Empty(b, faults)
	plans, faults := harness.Select(files, harness.Filter{Set: map[string]string{"send": "steer"}})
	require.Empty(b, faults)
	r := &harness.Runner{
		WorkRoot: b.TempDir(),
		Find: func(string) (harness.Codex, error) {
			return harness.Codex{Mode: "live", Version: "0.171.0", Binary: bin}, nil
		},
	}
	own, codex := cpu(b, syscall.RUSAGE_SELF), cpu(b, syscall.RUSAGE_CHILDREN)
	for b.Loop() {
		out := r.Play(b.Context(), plans[0])
		require.Equal(b, report.Pass, out.Result.Verdict, out.Result.Reason)
	}
	own, codex = cpu(b, syscall.RUSAGE_SELF)-own, cpu(b, syscall.RUSAGE_CHILDREN)-codex
	b.ReportMetric(own.Seconds()/float64(b.N), "s-own/op")
	b.ReportMetric(codex.Seconds()/float64(b.N), "s-codex/op")
	b.ReportMetric(own.Seconds()/codex.Seconds(), "own/codex")
}

func cpu(b *testing.B, who int) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(who, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
