package interact

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var steps = flag.Int("steps", 30_000, "inputs of the random walk")

// walker makes up inputs that fit, or nearly fit, what the player has come to.
type walker struct {
	intn  func(n int) int
	p     *player
	lines []string
	texts int
	turns int
}

func newWalker(intn func(int) int) *walker {
	s, err := newScript("settings", []byte("limit rescue=1s"))
	if err != nil {
		panic(err)
	}
	s.settings.limits.Coalesce = []time.Duration{-1, 60 * time.Millisecond}[intn(2)]
	w := &walker{intn: intn, p: newPlayer(s.settings)}
	w.p.check = newChecker()
	return w
}

func (w *walker) pick(of ...string) string { return of[w.intn(len(of))] }

// step plays one input and returns what it broke.
func (w *walker) step() []Violation {
	line := w.next()
	w.lines = append(w.lines, line)
	b, err := parseLine(line)
	if err != nil {
		panic(err)
	}
	c, err := newCommand(b)
	if err != nil {
		panic(err)
	}
	w.p.play(&c)
	return w.p.check.takeFaults()
}

func (w *walker) next() string {
	if w.p.machine == nil {
		if w.p.record.ID == "" {
			return "create"
		}
		return w.pick("load", "load", "unarchive", "archive", "edit title=y")
	}
	if w.p.record.ArchivedAt != nil && w.intn(5) == 0 { // open for reading only: on with it
		return "unarchive"
	}
	switch n := w.intn(100); {
	case w.p.opening != nil && n < 50:
		return w.pick("opened", "opened", "opened", "exit gone")
	case len(w.p.calls) > 0 && n < 40:
		return w.answer()
	case n < 55:
		return w.caller()
	case n < 92:
		return w.event()
	case n < 96:
		return w.tick()
	}
	return w.pick("store hold", "store release", "answer 3", "user u1 foreign", "state")
}

func (w *walker) answer() string {
	kind := w.p.calls[w.intn(len(w.p.calls))].kind
	if w.intn(4) == 0 {
		return "reject " + kind + " " + w.pick("no", "stale", "unavailable:no_turn", "unavailable:not_steerable:compact", "unavailable:id_mismatch")
	}
	if kind != "start" {
		return "ack " + kind
	}
	if w.intn(20) == 0 && w.turns > 0 {
		return fmt.Sprintf("ack start t%d", max(1, w.turns-w.intn(20)))
	}
	w.turns++
	return fmt.Sprintf("ack start t%d", w.turns)
}

func (w *walker) caller() string {
	switch w.intn(16) {
	case 0, 1, 2, 3, 4, 5, 6, 7:
		w.texts++
		line := fmt.Sprintf("send s%d %s", w.texts, w.pick("replace", "steer", "steer-no-wait", "queue"))
		return line + w.pick("", "", " lost=resend", " unavailable=hold", " notsteerable=error", " run=yes")
	case 8, 9:
		return "interrupt"
	case 10:
		return fmt.Sprintf("withdraw s%d", w.intn(w.texts+1))
	case 11:
		return w.pick("wait start", "wait event", "wait active")
	case 12:
		return w.pick("compact", "set mode a", "edit title=x", "respond p1 allow", "respond p2 deny")
	case 13:
		return w.pick("reload", "hydrate force=yes", "hydrate", "reload rehydrate=yes")
	case 14:
		return w.pick("close", "close", "close", "archive", "unarchive")
	}
	return w.pick("load", "fork", "append said")
}

// openTurns are the turns that the provider could speak of, in order.
func (w *walker) openTurns() []string {
	var open []string
	for _, t := range slices.Sorted(maps.Keys(w.p.turns)) {
		if w.p.turns[t] || w.intn(10) == 0 {
			open = append(open, t)
		}
	}
	return open
}

func (w *walker) event() string {
	open := w.openTurns()
	if len(open) == 0 || w.intn(15) == 0 {
		w.turns++
		return w.pick(fmt.Sprintf("started a%d", w.turns), "exit crashed", "usage 5", "changed mode b", "notice hm", "resolved p1")
	}
	turn := open[w.intn(len(open))]
	text := fmt.Sprintf("s%d", w.intn(w.texts+1))
	switch w.intn(10) {
	case 0, 1, 2:
		return "ended " + turn + w.pick(" completed", " interrupted", " failed error=x") + w.pick("", " dropped="+text)
	case 3:
		return "taken " + text + " turn=" + turn
	case 4:
		return "compaction " + w.pick("k1", "k2") + w.pick(" running", " completed") + " turn=" + turn
	case 5:
		return "ask " + w.pick("p1", "p2") + " turn=" + turn
	case 6:
		return "user u" + text + " x id=" + text + " turn=" + turn
	case 7:
		return "tool " + w.pick("x", "y") + w.pick(" running", " completed", " failed") + " turn=" + turn
	}
	return "text " + w.pick("m1", "m2") + " word" + w.pick("", " final=yes", " kind=thought") + " turn=" + turn
}

func (w *walker) tick() string {
	timers := slices.Sorted(maps.Keys(w.p.timers))
	if len(timers) == 0 {
		return "state"
	}
	return "tick " + timers[w.intn(len(timers))]
}

// transcript is what was played, as short as it can be.
func (w *walker) transcript(broken Violation) string {
	limits := fmt.Sprintf("limit rescue=1s coalesce=%v\n\n", w.p.settings.limits.Coalesce)
	s, err := newScript("walk", []byte(limits+strings.Join(w.lines, "\n\n")))
	if err != nil {
		return err.Error()
	}
	x := explorer{script: s, loose: true, result: Exploration{Violation: &broken}}
	for i := range s.commands {
		x.failed = append(x.failed, &s.commands[i])
	}
	x.shrink()
	return string(x.result.Transcript)
}

// TestAnyInputsKeepTheInvariants: rapid shrinks what it finds.
func TestAnyInputsKeepTheInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWalker(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
		for range rapid.IntRange(1, 60).Draw(t, "inputs") {
			if broken := w.step(); len(broken) > 0 {
				t.Fatalf("%s", w.transcript(broken[0]))
			}
		}
	})
}

// TestALongWalk is the same without rapid's bookkeeping, for speed.
func TestALongWalk(t *testing.T) {
	began := time.Now()
	for played, seed := 0, uint64(1); played < *steps; seed++ {
		w := newWalker(rand.New(rand.NewPCG(seed, 0)).IntN)
		for range 200 {
			broken := w.step()
			played++
			if len(broken) > 0 {
				t.Fatalf("seed %d\n%s", seed, w.transcript(broken[0]))
			}
		}
	}
	t.Logf("%.0f steps a second", float64(*steps)/time.Since(began).Seconds())
}
