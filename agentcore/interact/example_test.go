package interact_test

import (
	"fmt"

	"github.com/heldstream/heldstream/agentcore/interact"
)

// A race in a few lines: two texts replace each other's turns.
func ExamplePlay() {
	out, err := interact.Play("race", []byte(`
create

send first replace

send second replace
`))
	fmt.Printf("%s%v\n", out, err)
	// Output:
	// create
	// ----
	// timer start 1m30s
	// open session
	// state initializing
	// state idle
	// reply to create: idle
	//
	// send first replace
	// ----
	// call start "first"
	// timer start 1m30s
	//
	// send second replace
	// ----
	// state running starting replacing
	// call interrupt
	// timer interrupt 2s
	// <nil>
}

// The same in lanes: every order of two callers and the session.
func ExampleExplore() {
	x, err := interact.Explore("orders", []byte(`
create

@a send first replace

@b send second replace

@s ack start t1
`), interact.ExploreOptions{})
	fmt.Println(x.Orders, x.Complete, x.Violation, err)
	// Output: 4 true <nil> <nil>
}
