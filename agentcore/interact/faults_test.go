package interact

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
)

// planted (13.AB7 is waiters-early) are the faults with a transcript each that does not show them as it
// is written; an order that shows them must be found and be short.
var planted = []struct {
	fault, breaks string
	transcript    string
}{
	{"waiters-early", "I8", `create
@a send first steer
@s reject start boom
@b send second steer
@s ack start t2
`},
	{"steer-row-late", "I7", `create
@a send first steer
@s ack start t1
@b send second steer
@s ack steer
@t text m1 hello turn=t1 final=yes
`},
	{"interrupt-newer", "I9", `create
@a send first steer
@s ack start t1
@b send second steer
@r reject steer unavailable:id_mismatch
@s ended t1 completed
started t2
`},
	{"idle-in-replace", "I5", `create
@a send first replace
@s ack start t1
ended t1 completed
ack start t2
@b send second replace
@s ack interrupt
`},
	{"lost-queued", "lost", `create
@a send first queue
@s ack start t1
ended t1 failed error=broken
@b send second queue
@c withdraw second
`},
}

func blank(transcript string) []byte { return []byte(strings.ReplaceAll(transcript, "\n", "\n\n")) }

// TestPlantedFaultsAreFound: each fault is invisible as the transcript stands,
// is found among its orders, and shrinks to at most eight inputs that still
// show it when they are played.
func TestPlantedFaultsAreFound(t *testing.T) {
	for _, p := range planted {
		t.Run(p.fault, func(t *testing.T) {
			faulty := append([]byte("plant "+p.fault+"\n\n"), blank(p.transcript)...)
			out, err := Play("written", faulty)
			require.NoError(t, err)
			require.NotContains(t, string(out), "VIOLATED", "the transcript shows the fault as it is written")

			x, err := Explore("faulty", faulty, ExploreOptions{})
			require.NoError(t, err)
			require.NotNil(t, x.Violation, "not found in %d orders", x.Orders)
			require.Equal(t, p.breaks, x.Violation.Name)
			require.LessOrEqual(t, strings.Count(string(x.Transcript), "----"), 8, string(x.Transcript))
			again, err := Play("shrunk", x.Transcript)
			require.NoError(t, err)
			require.Contains(t, string(again), "VIOLATED "+p.breaks)

			sound, err := Explore("sound", blank(p.transcript), ExploreOptions{})
			require.NoError(t, err)
			require.Nil(t, sound.Violation, string(sound.Transcript))
			require.True(t, sound.Complete)
		})
	}
}

func TestEveryFaultIsPlanted(t *testing.T) {
	for name := range agentcore.FaultNames {
		found := false
		for _, p := range planted {
			found = found || p.fault == name
		}
		require.True(t, found, name)
	}
}

var orders = flag.Int("orders", 5_000, "orders of each transcript in testdata/lanes")

// TestOrders explores the transcripts in testdata/lanes: no order of them may
// break an invariant.
func TestOrders(t *testing.T) {
	files, err := filepath.Glob("testdata/lanes/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			x, err := Explore(file, data, ExploreOptions{Orders: *orders})
			require.NoError(t, err)
			require.Nil(t, x.Violation, string(x.Transcript))
			drawn, err := Explore(file, data, ExploreOptions{Orders: *orders / 5, Seed: 1})
			require.NoError(t, err)
			require.Nil(t, drawn.Violation, string(drawn.Transcript))
			t.Logf("%d orders, complete=%v", x.Orders, x.Complete)
		})
	}
}
