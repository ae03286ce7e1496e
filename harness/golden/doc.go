// Package golden has the golden files: what a variant of a scenario did when
// it was last approved, one section a step, in it one block a lane, one event a
// line. They are made to be read and reviewed:
//
//	golden 1 codex=0.171.0
//
//	== step 1: run "first turn"
//	requests main
//	  turn 1: user "first turn" -> reply 2
//	timeline main
//	  user: first turn
//
// [Parse] takes any bytes and answers with a file or an error that names the
// line. [Format] has one output for a file, so a golden that somebody edited by
// hand into another form is noticed ([Canonical]). [Compare] explains where
// two of them differ.
package golden
