//go:build unix

package interact

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// processorTime is what the process has used of the processor so far; unlike
// the clock on the wall it tells the same on a machine that is busy.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkExplore plays the orders of each transcript in testdata/lanes.
// orders/cpu-s is what one core does that has nothing else to do.
func BenchmarkExplore(b *testing.B) {
	files, err := filepath.Glob("testdata/lanes/*.txt")
	require.NoError(b, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(b, err)
		b.Run(filepath.Base(file), func(b *testing.B) {
			b.ReportAllocs()
			played, inputs, began := 0, 0, processorTime(b)
			for b.Loop() {
				x, err := Explore(file, data, ExploreOptions{Orders: 20_000})
				require.NoError(b, err)
				played, inputs = played+x.Orders, inputs+x.Inputs
			}
			b.ReportMetric(float64(played)/b.Elapsed().Seconds(), "orders/s")
			b.ReportMetric(float64(played)/(processorTime(b)-began).Seconds(), "orders/cpu-s")
			b.ReportMetric(float64(inputs)/float64(played), "inputs/order")
		})
	}
}
