package interact

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
)

// ExploreOptions bound an exploration.
type ExploreOptions struct {
	// Orders is how many are played at most; 0 is 100,000. If there are more,
	// and Seed is not 0, they are drawn; else the first ones are played.
	Orders int
	Seed   uint64
}

// Exploration is what came of Explore.
type Exploration struct {
	Orders, Inputs int
	Complete       bool // every order was played
	// Violation is the first invariant that was broken, or nil; Transcript is
	// then the shortest transcript found that breaks it, ready for Play.
	Violation  *Violation
	Transcript []byte
}

// Explore plays every order of the inputs that keeps the order within each
// lane. Inputs before the first lane come first. An input waits while it makes
// no sense: an answer until its call is open, word of a turn while the turn is
// not, a timer until it runs. An order in which nothing can go on has ended.
func Explore(name string, data []byte, o ExploreOptions) (Exploration, error) {
	s, err := newScript(name, data)
	if err != nil {
		return Exploration{}, err
	}
	if o.Orders == 0 {
		o.Orders = 100_000
	}
	x := explorer{script: s, limit: o.Orders, player: newPlayer(s.settings)}
	x.player.check = newChecker()
	x.split()
	if len(x.lanes) == 0 {
		return Exploration{}, fmt.Errorf("%s: no input is in a lane: put @NAME before those whose order may change", name)
	}
	if o.Seed != 0 {
		x.draw(rand.New(rand.NewPCG(o.Seed, 0)))
	} else {
		x.all()
	}
	if x.failed != nil {
		x.shrink()
	}
	return x.result, nil
}

type explorer struct {
	script *script
	head   []*command   // before the lanes
	lanes  [][]*command // in the order of their first inputs
	limit  int
	result Exploration
	player *player    // of the order that is played
	order  []*command // what it has played so far
	failed []*command // the order that broke an invariant
	loose  bool       // shrink to inputs that need not make sense
}

func (x *explorer) split() {
	index := map[string]int{}
	current := 0
	for i := range x.script.commands {
		c := &x.script.commands[i]
		if c.lane == "" {
			if len(x.lanes) == 0 {
				x.head = append(x.head, c)
			} else { // part of the lane before it
				x.lanes[current] = append(x.lanes[current], c)
			}
			continue
		}
		at, ok := index[c.lane]
		if !ok {
			at = len(x.lanes)
			index[c.lane] = at
			x.lanes = append(x.lanes, nil)
		}
		x.lanes[at] = append(x.lanes[at], c)
		current = at
	}
}

// walk plays one order. choose picks one of the lanes that can go on.
func (x *explorer) walk(choose func(can []int) int) {
	p := x.player
	p.again()
	x.order = x.order[:0]
	at := make([]int, len(x.lanes))
	can := make([]int, 0, len(x.lanes))
	x.result.Orders++
	for _, c := range x.head {
		if !x.input(p, c) {
			return
		}
	}
	for {
		can = can[:0]
		for i, lane := range x.lanes {
			if at[i] < len(lane) && p.likely(lane[at[i]]) {
				can = append(can, i)
			}
		}
		if len(can) == 0 {
			return
		}
		i := can[choose(can)]
		if !x.input(p, x.lanes[i][at[i]]) {
			return
		}
		at[i]++
	}
}

// input plays one input and says whether all is well.
func (x *explorer) input(p *player, c *command) bool {
	x.order = append(x.order, c)
	x.result.Inputs++
	if p.play(c) != "" {
		return true // not possible: nothing has happened
	}
	if faults := p.check.faults; len(faults) > 0 {
		x.result.Violation, x.failed = &faults[0], x.order
		return false
	}
	return true
}

// all plays order after order: each is the one before with its last choice
// that can be changed moved on by one.
func (x *explorer) all() {
	type choice struct{ picked, of int }
	var path []choice
	for x.result.Orders < x.limit && x.failed == nil {
		depth := 0
		x.walk(func(can []int) int {
			if depth == len(path) {
				path = append(path, choice{0, len(can)})
			}
			depth++
			return path[depth-1].picked
		})
		for len(path) > 0 && path[len(path)-1].picked == path[len(path)-1].of-1 {
			path = path[:len(path)-1]
		}
		if len(path) == 0 {
			x.result.Complete = x.failed == nil
			return
		}
		path[len(path)-1].picked++
	}
}

func (x *explorer) draw(r *rand.Rand) {
	for x.result.Orders < x.limit && x.failed == nil {
		x.walk(func(can []int) int { return r.IntN(len(can)) })
	}
}

// shrink leaves out of the failing order what it does not need to fail.
func (x *explorer) shrink() {
	order := x.failed
	for size := len(order) / 2; size > 0; {
		shorter := false
		for from := 0; from+size <= len(order); from++ {
			try := slices.Concat(order[:from], order[from+size:])
			if x.breaks(try) {
				order, shorter = try, true
				from--
			}
		}
		if !shorter || size > len(order) {
			size /= 2
		}
	}
	x.result.Transcript = x.write(order)
}

// breaks says whether these inputs break the same invariant.
func (x *explorer) breaks(order []*command) bool {
	p := newPlayer(x.script.settings)
	p.check = newChecker()
	for _, c := range order {
		if !x.loose && !p.likely(c) || p.play(c) != "" {
			return false
		}
		for _, f := range p.check.faults {
			if f.Name == x.result.Violation.Name {
				return true
			}
		}
	}
	return false
}

// write makes a transcript of an order, with what comes of it.
func (x *explorer) write(order []*command) []byte {
	var in bytes.Buffer
	fmt.Fprintf(&in, "# breaks %s\n", x.result.Violation)
	for _, h := range x.script.heads {
		in.WriteString(h.line + "\n\n")
	}
	for _, c := range order {
		in.WriteString(c.line + "\n\n")
	}
	out, err := Play("shrunk", in.Bytes())
	if err != nil {
		return in.Bytes()
	}
	return out
}
