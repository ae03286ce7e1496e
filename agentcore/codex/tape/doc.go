// Package tape keeps what a run of codex did, and does it again without codex.
//
// A tape is a text file, one act a line, in the order in which a live run logged
// them. Playing it is causal, not timed: each thing that codex did is done again
// as soon as codex has been told as much as it had been told then. Told is what
// stands above the act in the file: the messages of the manager and the events of
// the provider's streams, those of the act's own thread and of the process as a
// whole. Since a line to codex was logged before its bytes went out, and a line
// from codex after it was read, what stands above an act is never less than what
// codex knew: playback can be later than need be, never too early.
//
// Values that occur again are written once, and requests are little more than
// what they add to the one before (see pack.go); in memory all is whole.
//
// Player is a codex.Backend. What the manager or the provider say otherwise than
// recorded is a Departure: it names the message, and the process ends there.
package tape
