// Package reading folds the log of a run into what waits, expectations and
// goldens ask about: threads and turns, requests, calls in flight, the timeline.
//
// It also says when a run is settled: when everything that can happen has
// happened. That is counted, not guessed: each thing that was accepted owes its
// effects, and a held request counts as waiting only once its own effects were
// read and, where codex would cut it for a steer, once it carries every text
// accepted for its turn. A naive reading (no call in flight, a request at a gate)
// is wrong whenever an effect that was accepted has not shown yet.
package reading
