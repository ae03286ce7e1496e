package codex

import (
	"regexp"
	"strconv"
	"strings"
)

// Quirks are what differs between versions of codex. Each is held to the
// binary by the live test that its row in quirkTable names.
type Quirks struct {
	Version string
	// EchoesClientID: turn/start and turn/steer take the sender's id and user
	// items carry it. Without it they are
	// matched by their text, in order.
	EchoesClientID bool
	// InstantInterrupt: a steer cuts the sampling it meets, once that one's
	// response headers have arrived, over HTTP.
	InstantInterrupt bool
	// ClosesReplaced: the held request of an interrupted turn is closed.
	ClosesReplaced bool
	// KeepsInterrupted: a prompt whose turn is interrupted while it compacts
	// is put into history before the turn ends.
	KeepsInterrupted bool
	// KeepsFailed: the same of a turn whose compaction fails.
	KeepsFailed bool
	// SwallowsCompactSteer: a steer of a manual compaction is accepted, and then
	// its turn never ends. The client refuses it instead.
	SwallowsCompactSteer bool
	// Reviews: who answers its questions can be set, and may be a reviewer of
	// codex's own.
	Reviews bool
	// LegacyMirror: every event comes a second time as codex/event/*.
	LegacyMirror bool
}

// quirkTable says from which version on a quirk holds ("" since ever), and
// before which version it held ("" still does).
var quirkTable = []struct {
	name        string
	since, till string
	set         func(*Quirks)
	heldBy      string
}{
	{"EchoesClientID", "0.153.3", "", func(q *Quirks) { q.EchoesClientID = true }, "TestLiveTurn"},
	{"InstantInterrupt", "0.162.0", "", func(q *Quirks) { q.InstantInterrupt = true }, "TestLiveSteerHeldSampling"},
	{"ClosesReplaced", "0.159.1", "", func(q *Quirks) { q.ClosesReplaced = true }, "TestLiveReplaceCompacting"},
	{"KeepsInterrupted", "0.171.0", "", func(q *Quirks) { q.KeepsInterrupted = true }, "TestLiveReplaceCompacting"},
	{"KeepsFailed", "0.159.1", "", func(q *Quirks) { q.KeepsFailed = true }, "TestLiveFailedCompaction"},
	{"SwallowsCompactSteer", "", "0.130.0", func(q *Quirks) { q.SwallowsCompactSteer = true }, "TestLiveManualCompaction"},
	{"Reviews", "0.128.0", "", func(q *Quirks) { q.Reviews = true }, "TestLiveModes"},
	{"LegacyMirror", "", "0.130.0", func(q *Quirks) { q.LegacyMirror = true }, "TestLiveTurn"},
}

// QuirksOf says how a version of codex behaves. A version that cannot be read
// counts as the newest.
func QuirksOf(version string) Quirks {
	q := Quirks{Version: version}
	for _, row := range quirkTable {
		if !before(version, row.since) && (row.till == "" || before(version, row.till)) {
			row.set(&q)
		}
	}
	return q
}

// before compares versions number by number. Nothing is before "", and what
// is no version is before nothing.
func before(a, b string) bool {
	na, oka := numbers(a)
	nb, okb := numbers(b)
	if !oka || !okb {
		return false
	}
	for i := range na {
		if na[i] != nb[i] {
			return na[i] < nb[i]
		}
	}
	return false
}

func numbers(v string) (n [3]int, ok bool) {
	core, _, _ := strings.Cut(v, "-")
	parts := strings.Split(core, ".")
	if len(parts) != 3 {
		return n, false
	}
	for i, p := range parts {
		x, err := strconv.Atoi(p)
		if err != nil {
			return n, false
		}
		n[i] = x
	}
	return n, true
}

var agentVersion = regexp.MustCompile(`/(\d+\.\d+\.\d+\S*)`)

// versionIn finds codex's version in the user agent that it answers
// initialize with.
func versionIn(userAgent string) string {
	if m := agentVersion.FindStringSubmatch(userAgent); m != nil {
		return m[1]
	}
	return ""
}
