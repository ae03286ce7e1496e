// Package interact drives the state machine of an agent by lines of text and
// writes down what the machine does below each. The whole transcript is the
// golden: a race is ten lines that anyone can read, write and replay.
//
//	send first steer
//	----
//	call 1 start "first"
//
// A transcript is a list of blocks. The line of a block is an input; what
// follows "----" is what came of it, as Play writes it. Lines that begin with
// "#" are remarks. A transcript may begin with settings (plant, policy, limit,
// caps), and its inputs may be put into lanes, one a caller and one for the
// session:
//
//	@a send first steer
//	@s ack start t1
//
// Play runs the inputs as they stand. Explore runs them in every order that
// keeps each lane's own, checks the invariants of the machine after each
// input, and shrinks an order that breaks one.
package interact
